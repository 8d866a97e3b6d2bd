"""One episode of a Tabgym world over OpenEnv's WebSocket, and its return. Needs only aiohttp.

Messages are whole replies of a language model: the server finds the action in them by the world's own rule, as in training.
"""

import asyncio
import os

import aiohttp

CONNECT_SECONDS = 10
ANSWER_SECONDS = 120
WAITS_WHEN_FULL = 60


class WorldError(Exception):
    """Failure of the world or its server; the message has the reason."""


class World:
    """`async with World(url) as world`: a separate session on the server, closed at the end."""

    def __init__(self, url):
        # The rows name this machine; TABGYM_WORLDS replaces it with the machine that serves the worlds.
        self.url = url.replace("127.0.0.1", os.environ.get("TABGYM_WORLDS", "127.0.0.1")).rstrip("/") + "/ws"

    async def __aenter__(self):
        self.session = aiohttp.ClientSession()
        try:
            self.socket = await asyncio.wait_for(self.session.ws_connect(self.url, max_msg_size=0), CONNECT_SECONDS)
        except (aiohttp.ClientError, asyncio.TimeoutError, OSError) as error:
            await self.session.close()
            raise WorldError(f"No world answers at {self.url}: is serve.sh running there? ({error!r})") from error
        return self

    async def __aexit__(self, *_):
        await self.socket.close()
        await self.session.close()

    async def ask(self, kind, **data):
        try:
            await self.socket.send_json({"type": kind, "data": data})
            answer = await asyncio.wait_for(self.socket.receive_json(), ANSWER_SECONDS)
        except (aiohttp.ClientError, asyncio.TimeoutError, ConnectionError, TypeError) as error:
            raise WorldError(f"The world at {self.url} did not answer {kind}: {error!r}") from error
        if answer["type"] == "error":
            raise WorldError(f"{answer['data']['code']}: {answer['data']['message']}")
        return answer["data"]

    async def reset(self, split, index):
        """Returns the first observation."""
        answer = await self.ask("reset", split=split, index=index, replies=True)
        return answer["observation"]["text"]

    async def step(self, reply):
        """Returns (observation, reward, done, valid)."""
        answer = await self.ask("step", message=reply)
        observation = answer["observation"]
        return observation["text"], float(answer["reward"] or 0.0), bool(answer["done"]), bool(observation["valid"])


async def open_world(url):
    """Opens a world. Retries while the server is full (CAPACITY_REACHED, after which it closes the socket)."""
    for _ in range(WAITS_WHEN_FULL):
        world = await World(url).__aenter__()
        try:
            await world.ask("state")
            return world
        except WorldError as error:
            await world.__aexit__()
            if "CAPACITY_REACHED" not in str(error):
                raise
        await asyncio.sleep(1)
    raise WorldError(f"{url} had no room for {WAITS_WHEN_FULL} s: start it with more --sessions.")


def most_turns(horizon, step, oracle_turns):
    """Maximum turns of an episode at a step (from 1); the last stage has no end."""
    for stage in horizon[:-1]:
        if step <= stage["steps"]:
            break
        step -= stage["steps"]
    else:
        stage = horizon[-1]
    if "turns" in stage:
        return stage["turns"]
    if oracle_turns is None:
        raise WorldError("The horizon is counted from the oracle's turns, and this task has none.")
    return oracle_turns + stage["oracle_plus"]


def overlong_penalty(length, rule):
    """DAPO, arXiv 2503.14476, equation 13: 0 up to `longest - room` tokens, then falling to minus the penalty."""
    if rule is None:
        return 0.0
    over = -(length - (rule["longest"] - rule["room"])) / rule["room"] * rule["penalty"]
    return min(0.0, max(over, -rule["penalty"]) if rule["floor"] else over)


def return_of(score, ending, refused, length, rules):
    """Return of an episode: the last reward, or the value that the rules give its ending, minus penalties."""
    context = rules["context"]
    base = context if ending == "context" and context is not None else score
    return base + refused * rules["invalid_penalty"] + overlong_penalty(length, rules["overlong"])
