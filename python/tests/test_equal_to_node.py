"""1,000 vectorised steps over the socket are those that Node plays in its own process, value by value.

TABGYM_REPLAY is the program that plays a file again: `npm run test:python` sets it.
"""

import json
import os
import shlex
import subprocess

import pytest
from tabgym import TextVectorEnv

STEPS = 1000
WORLDS = 8


def choose(offered, i, turn):
    """An action of the world's list, at times one that it refuses; `inventory` where there is no list."""
    if turn % 50 == 49:
        return "an action that no world knows"
    return offered[(turn * 7 + i * 3) % len(offered)] if offered else "inventory"


def played(server, world):
    """A line for each step: the actions, the tasks that begin, and everything that came back."""
    env = TextVectorEnv(server.address, world, WORLDS, max_turns=20)
    texts, infos = env.reset(seed=3)
    rewards, ended = [0.0] * WORLDS, [False] * WORLDS
    actions, begins = [None] * WORLDS, [True] * WORLDS
    lines = []
    for turn in range(STEPS + 1):
        offered = [None if each is None else list(each) for each in infos["valid_actions"]]
        tasks = [int(infos["index"][i]) if begins[i] else None for i in range(WORLDS)]
        valid = [bool(each) for each in infos["valid"]]
        state = {"texts": texts, "rewards": list(rewards), "done": list(ended), "valid": valid, "offered": offered}
        lines.append({"world": world, "actions": actions, "tasks": tasks, **state})
        begins = [bool(each) for each in env.ended]
        actions = [choose(offered[i], i, turn) for i in range(WORLDS)]
        texts, rewards, terminated, _, infos = env.step(actions)
        rewards, ended = rewards.tolist(), terminated.tolist()
    env.close()
    return lines


@pytest.mark.parametrize("world", ["textcraft", "babyai"])
def test_steps_are_nodes(server, world, tmp_path):
    program = os.environ.get("TABGYM_REPLAY")
    if not program:
        pytest.skip("TABGYM_REPLAY names no program: run npm run test:python")
    lines = played(server, world)
    file = tmp_path / "steps.jsonl"

    def replayed():
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        return subprocess.run([*shlex.split(program), str(file)], capture_output=True, text=True)

    equal = replayed()
    assert equal.returncode == 0, equal.stdout + equal.stderr
    assert f"{STEPS} steps of {WORLDS} worlds of {world} are equal" in equal.stdout
    # A value that Node did not play is found.
    lines[500]["texts"] = (*lines[500]["texts"][:-1], "changed")
    changed = replayed()
    assert changed.returncode == 1 and "step 500" in changed.stderr, changed.stdout + changed.stderr
