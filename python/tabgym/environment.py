"""A world as an environment of Gymnasium."""

from operator import index as whole

import gymnasium
from gymnasium import spaces
from gymnasium.error import CustomSpaceError
from gymnasium.vector.utils import create_shared_memory

from .answers import field
from .openenv import OpenEnvClient, StepResult

MOST_OBSERVATION = 1 << 20
MOST_ACTION = 1000
SEEDS = 1 << 31


class AnyText(spaces.Text):
    """Texts of any characters up to a length. Samples have letters and digits only."""

    def contains(self, x):
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length


@create_shared_memory.register(AnyText)
def _no_shared_memory(space, n=1, ctx=None):
    """Gymnasium reads texts from the memory of its processes once, before the first one is written."""
    raise CustomSpaceError("Texts cannot be shared: give AsyncVectorEnv shared_memory=False, or use TextVectorEnv.")


def space_of_observations():
    return AnyText(MOST_OBSERVATION, min_length=0)


def space_of_actions():
    return AnyText(MOST_ACTION, min_length=0)


def index_in(options):
    """Index of a task, which may be an integer of NumPy. Other numbers and texts are refused, not rounded."""
    try:
        return whole(options["index"])
    except TypeError:
        raise ValueError(f"options['index'] is {options['index']!r}: it must be a whole number.") from None


def reset_data(generator, split, options):
    """Data of a reset. Without an `index` the generator chooses the task, so that a seed gives the same tasks."""
    given = options or {}
    unknown = set(given) - {"split", "index"}
    if unknown:
        raise ValueError(f"options has {sorted(unknown)}: only split and index are known.")
    chosen = given.get("split", split)
    if "index" in given:
        return {"split": chosen, "index": index_in(given)}
    return {"split": chosen, "seed": int(generator.integers(SEEDS))}


def info_of(result):
    return {"valid": result.valid, "valid_actions": result.valid_actions}


def info_of_task(state):
    return {
        "split": field(state, "split", str),
        "index": field(state, "index", int),
        "item": field(state, "item", int, type(None)),
    }


class TextEnv(gymnasium.Env):
    """One world. Observations and actions are texts.

    `info` has `valid` (the world accepted the last action) and `valid_actions` (a list, or None where the world lists
    none); after a reset also the task: `split`, `index` and `item`. `reset(options={"split": "test", "index": 3})` begins
    a task by name; otherwise the seed chooses. An episode of more than `max_turns` steps is truncated.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(self, address, world, *, split="train", max_turns=None, token=None, timeout=60.0, render_mode=None):
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is {render_mode!r}: it must be 'ansi' or None.")
        self.render_mode = render_mode
        self.observation_space = space_of_observations()
        self.action_space = space_of_actions()
        self.client = OpenEnvClient(address, world, token=token, timeout=timeout)
        self.split = split
        self.max_turns = max_turns
        self.turns = 0
        self.last = ""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.client.send("reset", reset_data(self.np_random, self.split, options))
        result = StepResult.of(self.client.receive())
        self.turns = 0
        self.last = result.text
        return result.text, {**info_of(result), **info_of_task(self.client.state())}

    def step(self, action):
        result = self.client.step(action)
        self.turns += 1
        self.last = result.text
        truncated = not result.done and self.max_turns is not None and self.turns >= self.max_turns
        return result.text, float(result.reward), result.done, truncated, info_of(result)

    def render(self):
        return self.last if self.render_mode == "ansi" else None

    def close(self):
        self.client.close()
