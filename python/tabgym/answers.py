"""Answers of a server, which may be any program: their bounds, their types, and requests that end in time."""

import http.client
import json
import math
import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager

MOST_BYTES = 16 * 1024 * 1024
MOST_SHOWN = 1000


class TabgymError(Exception):
    """Something of Tabgym failed; the message gives the cause and an action."""


class UnreadableAnswer(TabgymError):
    """The answer is not one of OpenEnv's."""

    def __init__(self, what):
        super().__init__(f"The server's answer cannot be read: {what}. Check its address: is it npx tabgym serve?")


def _no_constant(name):
    raise ValueError(f"{name} is not a number of JSON")


def parsed(text):
    """Value of a JSON text, or of its bytes."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UnreadableAnswer(f"it is not JSON ({str(error)[:MOST_SHOWN]})") from error


def object_of(value):
    """A value that must be an object."""
    if not isinstance(value, dict):
        raise UnreadableAnswer(f"it is a {type(value).__name__}, not an object")
    return value


def field(data, name, *kinds):
    """Field of an object, of one of these types. A number must be finite; True and False are not numbers."""
    if not isinstance(data, dict) or name not in data:
        raise UnreadableAnswer(f"it has no {name!r}")
    value = data[name]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise UnreadableAnswer(f"{name!r} is a {type(value).__name__}")
    if is_number and not math.isfinite(value):
        raise UnreadableAnswer(f"{name!r} is {value}")
    return value


def texts_of(data, name):
    """List of texts in a field, or None."""
    values = field(data, name, list, type(None))
    if values is not None and not all(isinstance(value, str) for value in values):
        raise UnreadableAnswer(f"{name!r} has values that are not texts")
    return values


def shown(value):
    return value[:MOST_SHOWN] if isinstance(value, str) else str(type(value).__name__)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: urllib would send the token on to any host."""

    def http_error_302(self, *_):
        return None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _shut(connection):
    try:
        # The plain method: that of a TLS socket would also discard its state, which another thread is using.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
    except OSError:
        pass


@contextmanager
def ending(connection, seconds):
    """Shuts a socket if the block takes longer; what reads it or writes to it then fails."""
    timer = threading.Timer(seconds, _shut, [connection])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _InTime:
    """Requests of urllib that end by a deadline; its own timeout is for each single read."""

    def __init__(self, seconds):
        self.deadline = time.monotonic() + seconds
        self._ending = ExitStack()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._ending.close()

    def _connection(self, kind):
        def connect(connection):
            kind.connect(connection)
            self._ending.enter_context(ending(connection.sock, max(0, self.deadline - time.monotonic())))

        return type("Connection", (kind,), {"connect": connect})

    def opener(self, *handlers):
        plain, secure = self._connection(http.client.HTTPConnection), self._connection(http.client.HTTPSConnection)

        class Plain(urllib.request.HTTPHandler):
            def http_open(self, request):
                return self.do_open(plain, request)

        class Secure(urllib.request.HTTPSHandler):
            def https_open(self, request):
                return self.do_open(secure, request)

        return urllib.request.build_opener(Plain, Secure, _NoRedirects, *handlers)

    def read(self, answer, most=MOST_BYTES):
        """Body of an answer of at most so many bytes."""
        body = bytearray()
        while piece := answer.read1(1 << 16):
            body += piece
            if len(body) > most:
                raise UnreadableAnswer(f"it is longer than {most} bytes")
        if answer.length:
            raise UnreadableAnswer(f"it ends {answer.length} bytes early")
        return bytes(body)

    @property
    def over(self):
        return time.monotonic() >= self.deadline


def fetched(request, seconds, *handlers, refusal):
    """Body of the answer to a request. `refusal` makes the error of an HTTP status and its body."""
    with _InTime(seconds) as in_time:
        try:
            try:
                with in_time.opener(*handlers).open(request, timeout=seconds) as answer:
                    body = in_time.read(answer)
            except urllib.error.HTTPError as error:
                with error:
                    body = error.read1(MOST_SHOWN) if error.fp else b""
                raise refusal(error.code, body) from error
        except TabgymError:
            raise
        except (OSError, http.client.HTTPException, ValueError) as error:
            if in_time.over:
                raise TimeoutError("timed out") from error
            raise
        # A connection that was shut at the deadline looks like one that the server ended.
        if in_time.over:
            raise TimeoutError("timed out")
        return body
