"""OpenEnv's protocol as `npm run serve` speaks it: episodes over a socket, tasks and descriptions over HTTP."""

import json
import threading
import urllib.request
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from http.client import HTTPException
from ipaddress import ip_address
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import connect

from .answers import MOST_BYTES, TabgymError, UnreadableAnswer, ending, fetched, field, object_of, parsed, shown, texts_of

# A server that does not answer a close keeps nobody waiting for longer.
CLOSING_SECONDS = 5.0
LONG_MESSAGE = 1 << 16


class ServerError(TabgymError):
    """The server refused a message. `code` is OpenEnv's: `VALIDATION_ERROR`, `EXECUTION_ERROR`, ..."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class StepResult:
    """Answer to a reset or a step. `reward` is None after a reset."""

    text: str
    valid: bool
    valid_actions: list[str] | None
    reward: float | None
    done: bool

    @classmethod
    def of(cls, data):
        seen = field(data, "observation", dict)
        text, valid = field(seen, "text", str), field(seen, "valid", bool)
        reward = field(data, "reward", int, float, type(None))
        return cls(text, valid, texts_of(seen, "valid_actions"), reward, field(data, "done", bool))

    @classmethod
    def of_step(cls, data):
        """Answer to a step, which has a reward."""
        field(data, "reward", int, float)
        return cls.of(data)


def _is_local(host):
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class OpenEnvClient:
    """One session of a world: episodes are played in it one after another.

    `address` is the server's, as `npm run serve` prints it, `world` a name such as `textcraft`. The socket opens at the
    first message. A client may be used by several threads; messages are answered one after another.
    """

    def __init__(self, address, world, *, token=None, timeout=60.0):
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"address is {address!r}: it must be like http://127.0.0.1:36001")
        self.server = address.rstrip("/")
        self.world = world
        self.timeout = timeout
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._is_local = _is_local(parts.hostname)
        self._socket = None
        # The library warns of a socket that is not entered as a context.
        self._opened = ExitStack()
        self._lock = threading.Lock()

    # Episodes

    def reset(self, *, seed=None, split=None, index=None, episode_id=None):
        """Begins an episode: the task at `index` of the split, or the one that `seed` chooses, or any."""
        given = {"seed": seed, "split": split, "index": index, "episode_id": episode_id}
        return StepResult.of(self.ask("reset", {key: value for key, value in given.items() if value is not None}))

    def step(self, message):
        """Takes an action."""
        return StepResult.of_step(self.ask("step", {"message": message}))

    def state(self):
        """State of the session: `episode_id`, `step_count`, `split`, `index`, `item`, `done`."""
        return self.ask("state")

    def close(self):
        """Ends the session. A later message opens a new one."""
        with self._lock:
            self._drop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # Tools, by JSON-RPC within the session

    def tools(self):
        """The world's tools, each with `name`, `description` and `input_schema`."""
        return field(self._rpc("tools/list", {}), "tools", list)

    def call(self, tool, **arguments):
        """Calls a tool. Beside those of the world there are `act` and `new_episode`."""
        result = self._rpc("tools/call", {"name": tool, "arguments": arguments})
        if field(result, "isError", bool):
            first = next(iter(field(result, "content", list)), None)
            raise ServerError("EXECUTION_ERROR", shown(field(first, "text", str)))
        return StepResult.of(field(result, "structuredContent", dict))

    def _rpc(self, method, params):
        answer = self.ask("mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        if "error" in answer:
            error = field(answer, "error", dict)
            raise ServerError(str(field(error, "code", int)), shown(field(error, "message", str)))
        return field(answer, "result", dict)

    # Descriptions and tasks

    def metadata(self):
        """Name, description and a text for readers."""
        return object_of(self.fetch("metadata"))

    def schema(self):
        """JSON schemas of action, observation and state."""
        return object_of(self.fetch("schema"))

    def num_tasks(self, split="train"):
        return field(self.fetch("num_tasks", {"split": split}), "num_tasks", int)

    def tasks(self, split="train", start=None, stop=None):
        """Tasks of a split, each with its `index` and the fields by which the world sorts tasks."""
        return field(self.fetch("task_range", {"split": split, "start": start, "stop": stop}), "tasks", list)

    def fetch(self, path, body=None):
        """Answer of a route of this world; a `body` makes it a POST."""
        request = urllib.request.Request(f"{self.server}/{self.world}/{path}", headers=dict(self._headers))
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        proxies = urllib.request.ProxyHandler({} if self._is_local else None)
        try:
            return parsed(fetched(request, self.timeout, proxies, refusal=self._refused))
        except TimeoutError as error:
            raise self._late() from error
        except (OSError, HTTPException, ValueError) as error:
            raise self._unreachable(error) from error

    # Messages

    def ask(self, kind, data=None):
        """Sends a message and returns the data of its answer."""
        with self._lock:
            self.send(kind, data)
            return self.receive()

    def send(self, kind, data=None):
        """Sends a message without waiting; answers come in the order of the messages."""
        message = json.dumps({"type": kind, "data": data or {}})
        try:
            opened = self._open()
            # The library has no time limit for sending; a shorter message fits into the system's buffers.
            with ending(opened.socket, self.timeout) if len(message) > LONG_MESSAGE else nullcontext():
                opened.send(message)
        except ConnectionClosed as error:
            raise self._ended(error) from error

    def receive(self):
        """Data of the next answer. Raises `ServerError` if the server refused the message."""
        try:
            return self._data_of(self._open().recv(timeout=self.timeout))
        except ConnectionClosed as error:
            raise self._ended(error) from error
        except TimeoutError as error:
            self._drop()
            raise self._late() from error
        except UnreadableAnswer:
            # Later answers could not be told from those of earlier messages.
            self._drop()
            raise

    def _data_of(self, text):
        frame = parsed(text)
        kind, data = field(frame, "type", str), field(frame, "data", dict)
        if kind == "error":
            raise ServerError(shown(field(data, "code", str)), shown(field(data, "message", str)))
        return data

    def _open(self):
        if self._socket is None:
            address = f"ws{self.server[4:]}/{self.world}/ws"
            options = {"additional_headers": self._headers, "max_size": MOST_BYTES, "compression": None}
            options["close_timeout"] = min(self.timeout, CLOSING_SECONDS)
            try:
                opening = connect(
                    address, proxy=None if self._is_local else True, open_timeout=self.timeout, **options
                )
                self._socket = self._opened.enter_context(opening)
            except (OSError, EOFError, ValueError, WebSocketException) as error:
                raise self._unreachable(error) from error
        return self._socket

    def _drop(self):
        self._socket = None
        self._opened.close()

    def _ended(self, error):
        self._drop()
        reason = error.rcvd.reason if error.rcvd else ""
        return TabgymError(
            f"{self.server} ended the session of {self.world} ({reason or 'no reason given'}): reset to open another."
        )

    def _refused(self, status, body):
        why = body.decode(errors="replace")
        if status == 404:
            why = f"{self.server} does not serve {self.world!r}, or not this route: see its list of worlds."
        if 300 <= status < 400:
            why = f"{self.server} redirects to another address, which is not followed: give the address itself."
        return ServerError(f"HTTP {status}", why)

    def _late(self):
        return TabgymError(f"{self.server} did not answer within {self.timeout} s.")

    def _unreachable(self, error):
        return TabgymError(
            f"{self.server}/{self.world} cannot be reached ({str(error)[:200]}). Start a server: npx tabgym serve, or tabgym.serve()."
        )
