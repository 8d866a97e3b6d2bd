"""AgentGym's own clients, tasks and Evaluator, unchanged, against our server: plays episodes of each world and prints one JSON object a world.

Usage: agentgym.py ADDRESS EPISODES MODEL. The policy that the server has plays TextCraft through /v1/chat/completions; the other worlds are
played by an agent that says what their texts offer, at random.
"""

import contextlib
import io
import json
import random
import re
import sys
import traceback

from agentenv.controller import APIAgent, Evaluator
from agentenv.envs import (
    BabyAITask,
    MazeTask,
    SciworldTask,
    SearchQATask,
    TextCraftTask,
    WebarenaTask,
    WordleTask,
)

address, episodes, model = sys.argv[1], int(sys.argv[2]), sys.argv[3]


class Chance(APIAgent):
    """Says one of the actions that `offers` finds in the last text."""

    def __init__(self, offers):
        self.offers = offers
        self.random = random.Random(1)

    def generate(self, conversation):
        action = self.random.choice(self.offers(conversation[-1]["content"]))
        return f"Thought:\nI try this.\n\nAction:\n{action}", None


def listed(text):
    found = re.search(r"Available actions: (\[.*\])", text)
    return json.loads(found.group(1)) if found else ["check available actions"]


def doors(text):
    return [f"go to {name}" for name in re.findall(r"door to the (\w+)", text)] + ["look around", "inventory"]


def words(text):
    return ["panic", "solar", "shire", "robot", "not a word"]


def tags(text):
    return ["<search>who lives here</search>", "<answer>nobody</answer>", "neither"]


def links(text):
    ids = re.findall(r"\[(\d+)\] link", text)
    return [f"```click [{each}]```" for each in ids] + ["```stop [done]```", "no action at all"]


policy = APIAgent(api_key="none", base_url=f"{address}/v1", model=model, max_tokens=64, temperature=1)
moves = ["move left", "move right", "move up", "move down"]

# Task, agent, rounds, and the rewards that its server can give at the end.
plays = {
    "textcraft": (TextCraftTask, policy, 10, (0, 1)),
    "babyai": (BabyAITask, Chance(listed), 10, (0, 1)),
    "sciworld": (SciworldTask, Chance(doors), 10, (-100, 100)),
    "maze": (MazeTask, Chance(lambda text: moves), 15, (-1, 1)),
    "wordle": (WordleTask, Chance(words), 8, (0, 1)),
    "searchqa": (SearchQATask, Chance(tags), 4, (0, 1)),
    "webarena": (WebarenaTask, Chance(links), 4, (0, 1)),
}


def opening(task, item):
    client = task.clients[0]
    client.reset(item)
    return client.observe()


def play(name):
    make, agent, rounds, (least, most) = plays[name]
    task = make({"env_server_base": f"{address}/{name}", "data_len": episodes, "timeout": 60}, n_clients=1)
    items = [0, 3]
    if any(opening(task, item) != opening(task, item) for item in items):
        raise AssertionError("the same item began in two ways")
    # Every game of Wordle begins alike.
    if name != "wordle" and opening(task, items[0]) == opening(task, items[1]):
        raise AssertionError("two items began alike")
    # One at a time: its success of several is an error of numpy's.
    results = [Evaluator(agent, [task]).eval(max_rounds=rounds, idxs=[item]) for item in range(episodes)]
    played = [each for result in results for each in result.experiences]
    rewards = [each.reward for each in played]
    if len(rewards) != episodes:
        raise AssertionError(f"{len(rewards)} episodes of {episodes}")
    if not all(least <= reward <= most for reward in rewards):
        raise AssertionError(f"rewards outside {least} to {most}: {rewards}")
    closed = task.clients[0].close() if hasattr(task.clients[0], "close") else None
    return {
        "episodes": len(rewards),
        "score": sum(float(result.score) for result in results) / episodes,
        "success": sum(float(result.success) for result in results) / episodes,
        "messages": sum(len(each.conversation) for each in played),
        "closed": closed,
    }


failed = False
for name in plays:
    try:
        # Some clients print every message.
        with contextlib.redirect_stdout(io.StringIO()):
            played = play(name)
        print(json.dumps({"world": name, **played}), flush=True)
    except Exception as error:
        failed = True
        print(json.dumps({"world": name, "error": f"{type(error).__name__}: {error}"}), flush=True)
        traceback.print_exc()
sys.exit(1 if failed else 0)
