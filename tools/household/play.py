"""Plays games of ALFWorld with TextWorld: a JSON line in for each game, a JSON line out with every answer.

Line in: {"logic": folder, "problem": PDDL, "task": text, "commands": [...]} or {"game": {...}, "commands": [...]}.
Line out: [[feedback, admissible commands, score, done], ...], the first for the reset.

Needs textworld[pddl] and alfworld (for its names of things). To save time, and for nothing else, parsed texts and
grammars are kept, values that never change are not copied, and the translation for the planner, which these games do
not use, is left out.
"""
import copy
import functools
import json
import re
import sys
from os.path import join

import fast_downward
from textworld.core import EnvInfos, Wrapper
from textworld.envs.pddl import PddlEnv, textgen
from textworld.envs.pddl import logic as pddl_logic
from textworld.generator.game import EntityInfo
from textworld.logic import Placeholder, Rule, Variable

from alfworld.agents.utils.misc import Demangler

translate = fast_downward.pddl2sas
kept = {}


def translate_once(domain, problem, verbose=False, optimize=False):
    key = (domain, problem)
    if key not in kept:
        kept.clear()
        kept[key] = translate(domain, problem, verbose=verbose)
    return kept[key]


fast_downward.pddl2sas = translate_once
Rule.parse_conjunctive_query = classmethod(functools.lru_cache(None)(Rule.parse_conjunctive_query.__func__))
parse_text = functools.lru_cache(None)(textgen._parse_and_convert)
textgen._parse_and_convert = lambda text, rule_name, trace=False: copy.deepcopy(parse_text(text, rule_name=rule_name))
for kind in (EntityInfo, Placeholder, Variable):
    kind.__deepcopy__ = lambda self, memo: self
textgen.copy_context = lambda context: {
    **context,
    "variables": dict(context["variables"]),
    "mapping": dict(context["mapping"]),
}

UNKNOWN = "UNKNOWN GOAL"
read_logic = pddl_logic.GameLogic
logics = {}


def logic_of(domain, grammar):
    """The game's logic; one that differs from a kept one in its task alone gets only its rule for the task anew."""
    task = re.search(r'"Your task is to: ([^"]*)\."', grammar).group(1)
    plain = grammar.replace(task, UNKNOWN)
    if (domain, plain) not in logics:
        logics[(domain, plain)] = read_logic(domain, plain)
    logic = logics[(domain, plain)]
    rule = {"task": [{"rhs": "Your task is to: " + task + "."}]}
    logic.grammar._rules["task"] = textgen.ContextSensitiveGrammar.parse(json.dumps(rule))._rules["task"]
    return logic


pddl_logic.GameLogic = logic_of


class Names(Wrapper):
    """ALFWorld's names of things, as its AlfredDemangler gives them."""

    def load(self, *args, **kwargs):
        super().load(*args, **kwargs)
        names = Demangler(game_infos=self._entity_infos)
        for info in self._entity_infos.values():
            if "_bar_" in info.id:
                info.name = names.demangle_alfred_name(info.id)


def read(folder, name):
    with open(join(folder, name)) as file:
        return file.read()


def game_of(line):
    if "game" in line:
        return line["game"]
    grammar = read(line["logic"], "alfred.twl2").replace(UNKNOWN, line["task"])
    return {"pddl_domain": read(line["logic"], "alfred.pddl"), "grammar": grammar, "pddl_problem": line["problem"]}


def answer(state, score=0, done=False):
    return [state.feedback, list(state["admissible_commands"]), score, done]


def play(env, line):
    env.load(game_of(line))
    answers = [answer(env.reset())]
    for command in line["commands"]:
        answers.append(answer(*env.step(command)))
        if answers[-1][3]:
            break
    return answers


def main():
    env = Names(PddlEnv(EnvInfos(admissible_commands=True, won=True)))
    for text in sys.stdin:
        print(json.dumps(play(env, json.loads(text))), flush=True)


main()
