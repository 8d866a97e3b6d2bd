"""Plays games of ALFWorld with TextWorld as ALFWorld sets it up, and prints the seconds of CPU time of resets (with reading the game) and of steps.

Input: [{"task": text, "problem": PDDL, "commands": [...]}, ...], with the domain and grammar of the installed alfworld. Output: JSON with the counts,
the seconds and all texts. Unlike tools/household/play.py nothing is made faster.
"""
import contextlib
import json
import sys
import time
from pathlib import Path

import alfworld
from alfworld.agents.utils.misc import Demangler
from textworld.core import EnvInfos, Wrapper
from textworld.envs.pddl import PddlEnv


class Names(Wrapper):
    """ALFWorld's names of things, as its AlfredDemangler gives them."""

    def load(self, *args, **kwargs):
        super().load(*args, **kwargs)
        names = Demangler(game_infos=self._entity_infos)
        for info in self._entity_infos.values():
            if "_bar_" in info.id:
                info.name = names.demangle_alfred_name(info.id)


def main():
    data = Path(alfworld.__file__).parent / "data"
    domain, grammar = (data / "alfred.pddl").read_text(), (data / "alfred.twl2").read_text()
    found = {"resets": 0, "resetSeconds": 0.0, "steps": 0, "stepSeconds": 0.0, "texts": []}
    for line in json.load(sys.stdin):
        # A fresh game object, as an agent that goes on to another game has.
        env = Names(PddlEnv(EnvInfos(admissible_commands=True, won=True)))
        game = {"pddl_domain": domain, "grammar": grammar.replace("UNKNOWN GOAL", line["task"]), "pddl_problem": line["problem"]}
        before = time.process_time()
        env.load(game)
        texts = [env.reset().feedback]
        found["resetSeconds"] += time.process_time() - before
        found["resets"] += 1
        before = time.process_time()
        for command in line["commands"]:
            state, _, _ = env.step(command)
            state["admissible_commands"]
            texts.append(state.feedback)
        found["stepSeconds"] += time.process_time() - before
        found["steps"] += len(line["commands"])
        found["texts"].append(texts)
    return found


with contextlib.redirect_stdout(sys.stderr):
    result = main()
print(json.dumps(result))
