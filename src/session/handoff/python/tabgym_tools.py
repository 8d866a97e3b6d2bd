"""A Tabgym world as an environment of tools for TRL 1.16 (`environment_factory`): an action is a call of a method. Needs aiohttp."""

import asyncio
import json
import sys
import threading

from tabgym_world import WorldError, open_world, return_of

_loop = asyncio.new_event_loop()
threading.Thread(target=_loop.run_forever, daemon=True, name="tabgym-worlds").start()


def _wait(coroutine):
    """Result of a coroutine on the worlds' own event loop: TRL resets environments outside of any loop."""
    return asyncio.run_coroutine_threadsafe(coroutine, _loop).result()


class ToolWorld:
    """One session on the server. Subclasses have a public method for each tool, and no other: TRL offers every public method."""

    _url = ""
    _rules = {}

    def __init__(self):
        self._world = None
        self._ended = "done"
        self.failed = False
        self.score, self._refused, self._taken = 0.0, 0, 0
        self.success_reward, self._turns = 1.0, None

    def reset(self, split, index, success_reward=1.0, turns=None, **_):
        """Begins a task and returns the first observation."""
        self._ended, self.failed = None, False
        self.score, self._refused, self._taken = 0.0, 0, 0
        self.success_reward = success_reward
        self._turns = turns
        try:
            if self._world is None:
                self._world = _wait(open_world(self._url))
            answer = _wait(self._world.ask("reset", split=split, index=index))
            return answer["observation"]["text"]
        except WorldError as error:
            return self._lost(error)

    def _lost(self, error):
        """Ends the episode by a failure of the world. The session is opened again for the next one."""
        print(f"A world failed, and its episode counts as zero: {error}", file=sys.stderr)
        self._ended, self.failed, self._world = "world-failure", True, None
        return "The world cannot be reached."

    def _call(self, name, arguments):
        if self._ended:
            return "The task has ended." if self._ended != "horizon" else "No turn is left."
        given = {key: value for key, value in arguments.items() if key != "self" and value is not None}
        try:
            answer = _wait(self._world.ask("step", message=_action(name, given)))
        except WorldError as error:
            return self._lost(error)
        observation = answer["observation"]
        self._taken += 1
        self.score = float(answer["reward"] or 0.0)
        self._refused += not observation["valid"]
        if answer["done"]:
            self._ended = "done"
        elif not observation["valid"] and self._rules.get("invalid_action") == "end":
            self._ended = "invalid-action"
        elif self._turns is not None and self._taken >= self._turns:
            self._ended = "horizon"
        return observation["text"]

    def get_reward(self):
        """Return of the episode, as Tabgym counts it."""
        if self.failed:
            return 0.0
        return return_of(self.score, self._ended, self._refused, 0, {**self._rules, "overlong": None})


def success(environments, **_):
    """Reward function with weight 0, for the log."""
    return [float(not each.failed and each.score >= each.success_reward) for each in environments]


def _action(name, arguments):
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
