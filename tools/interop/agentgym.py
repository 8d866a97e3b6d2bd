"""Plays episodes of each world on our server with AgentGym's own clients, tasks and Evaluator, unchanged. Prints one JSON object per world.

Usage: agentgym.py ADDRESS EPISODES MODELS [WORLD ...], the models by world as JSON. The policies that the server has play their worlds through
/v1/chat/completions, for as many rounds as they were trained on. Maze and Wordle are played by an agent that chooses one of the offered actions at
random: their clients start with rules of over a thousand tokens, which exceed a tiny policy's vocabulary and context. The household and the shop
are played by the plans of players.py. The worlds of tools are played by random calls of the tools that the client's first message lists, with
arguments that the conversation has shown; SQL by random statements over the tables.
"""

import contextlib
import io
import json
import random
import re
import signal
import sys
import traceback

from agentenv.controller import APIAgent, Evaluator
from agentenv.envs import (
    AcademiaTask,
    AlfWorldTask,
    BabyAITask,
    MazeTask,
    MovieTask,
    SciworldTask,
    SearchQATask,
    SheetTask,
    SqlGymTask,
    TextCraftTask,
    TodoTask,
    WeatherTask,
    WebarenaTask,
    WebshopTask,
    WordleTask,
)
from players import Planned, household, shop

address, episodes, models = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
most_seconds = 900


class TooLong(BaseException):
    pass


class Refused(BaseException):
    pass


class ClientOutput(io.StringIO):
    """Output of the clients. APIAgent prints each failed request and retries forever, so an invalid request must stop it here."""

    def write(self, text):
        if text.startswith("Error code: 4"):
            raise Refused(text)
        return super().write(text)


def too_late(*_):
    raise TooLong(f"not played within {most_seconds} s")


signal.signal(signal.SIGALRM, too_late)


class Chance(APIAgent):
    """Chooses at random among the actions that `offers` finds in the first text."""

    def __init__(self, offers):
        self.offers = offers
        self.random = random.Random(1)

    def generate(self, conversation):
        action = self.random.choice(self.offers(conversation[2]["content"]))
        return f"Thought:\nI try this.\n\nAction:\n{action}", None


def policy(world):
    return APIAgent(api_key="none", base_url=f"{address}/v1", model=models[world], max_tokens=64, temperature=1)


moves = ["move left", "move right", "move up", "move down"]
two = {"find-non-living-thing": 3240, "find-plant": 3540}


def listed_words(text):
    """Wordle's client lists the vocabulary from the server, a word per line."""
    return [" ".join(word) for word in re.findall(r"^[a-z]{5}$", text, re.MULTILINE)]


class ToolChance(APIAgent):
    """Calls a random tool of the client's first message. An argument is a text or number that the conversation has shown."""

    def __init__(self):
        self.random = random.Random(1)

    def generate(self, conversation):
        signatures = re.findall(r"^Name: (\w+)\((.*)\)$", conversation[0]["content"], re.MULTILINE)
        shown = re.findall(r"'([^'\n]{1,40})'|\"([^\"\n]{1,40})\"|(\d[\d.-]*)", " ".join(each["content"] for each in conversation[2:]))
        values = [value for found in shown for value in found if value] or ["1"]
        name, parameters = self.random.choice(signatures)
        given = {parameter: self.random.choice(values) for parameter in parameters.split(", ") if parameter}
        return f"Thought: I try this.\n\nAction: {name} with Action Input: {json.dumps(given)}", None


class SqlChance(APIAgent):
    """Writes a random statement over a table of the client's description."""

    def __init__(self):
        self.random = random.Random(1)

    def generate(self, conversation):
        tables = re.search(r"contains tables such as (.*?)\. ", conversation[2]["content"], re.DOTALL).group(1)
        table = self.random.choice(re.findall(r"\w+", tables))
        statement = self.random.choice(["SELECT COUNT(*) FROM {}", "SELECT * FROM {} LIMIT 1", "SELECT no FROM {}"])
        return f"Thought: I try this.\n\nAction: ```sql\n{statement.format(table)}\n```", None


# Task, agent, rounds, and the range of final rewards of its server.
plays = {
    "textcraft": (TextCraftTask, policy("textcraft"), 4, (0, 1)),
    "babyai": (BabyAITask, policy("babyai"), 20, (0, 1)),
    "sciworld": (SciworldTask, policy("sciworld"), 2, (-100, 100)),
    "maze": (MazeTask, Chance(lambda text: moves), 15, (-1, 1)),
    "wordle": (WordleTask, Chance(listed_words), 6, (-6, 1)),
    "searchqa": (SearchQATask, policy("searchqa"), 2, (0, 1)),
    "webarena": (WebarenaTask, policy("webarena"), 3, (0, 1)),
    "alfworld": (AlfWorldTask, Planned(household), 30, (0, 1)),
    "webshop": (WebshopTask, Planned(shop), 10, (0, 1)),
    "todo": (TodoTask, ToolChance(), 8, (0, 1)),
    "weather": (WeatherTask, ToolChance(), 8, (0, 1)),
    "movie": (MovieTask, ToolChance(), 8, (0, 1)),
    "academia": (AcademiaTask, ToolChance(), 8, (0, 1)),
    "sheet": (SheetTask, ToolChance(), 8, (0, 1)),
    "sqlgym": (SqlGymTask, SqlChance(), 1, (0, 1)),
}

# AlfWorld's client closes by a route that the original server does not have.
unclosed = {"alfworld"}

# Item that an episode plays. Maze: 25 items, because in other games the start is on the goal, which the original
# refuses as well. ScienceWorld: the two tasks in which its agent was trained.
items_of = {
    "maze": lambda episode: episode % 25,
    "sciworld": lambda episode: list(two.values())[episode % 2] + episode // 2,
}


def opening(task, item):
    client = task.clients[0]
    client.reset(item)
    return client.observe()


def play(name):
    make, agent, rounds, (least, most) = plays[name]
    item_of = items_of.get(name, lambda episode: episode)
    task = make({"env_server_base": f"{address}/{name}", "data_len": episodes, "timeout": 60}, n_clients=1)
    items = [0, 3]
    if any(opening(task, item) != opening(task, item) for item in items):
        raise AssertionError("the same item started with two different texts")
    # Every game of Wordle starts with the same text.
    if name != "wordle" and opening(task, items[0]) == opening(task, items[1]):
        raise AssertionError("two items started with the same text")
    # One episode per call: for several, Evaluator's success fails with an error of numpy's.
    results = [Evaluator(agent, [task]).eval(max_rounds=rounds, idxs=[item_of(episode)]) for episode in range(episodes)]
    played = [each for result in results for each in result.experiences]
    rewards = [each.reward for each in played]
    if len(rewards) != episodes:
        raise AssertionError(f"{len(rewards)} episodes of {episodes}")
    if not all(least <= reward <= most for reward in rewards):
        raise AssertionError(f"rewards outside {least} to {most}: {rewards}")
    closes = hasattr(task.clients[0], "close") and name not in unclosed
    closed = task.clients[0].close() if closes else None
    return {
        "episodes": len(rewards),
        "score": sum(float(result.score) for result in results) / episodes,
        # Evaluator's own count: a reward of exactly 1 or 100, which BabyAI's never is because it decreases with time.
        "success": sum(float(result.success) for result in results) / episodes,
        "rewarded": sum(reward > 0 for reward in rewards) / episodes,
        "messages": sum(len(each.conversation) for each in played),
        "closed": closed,
    }


failed = False
for name in sys.argv[4:] or plays:
    output = ClientOutput()
    try:
        signal.alarm(most_seconds)
        # Some clients print every message.
        with contextlib.redirect_stdout(output):
            played = play(name)
        print(json.dumps({"world": name, "by": getattr(plays[name][1], "model", type(plays[name][1]).__name__.lower()), **played}), flush=True)
    except (Exception, TooLong, Refused) as error:
        failed = True
        last = output.getvalue().strip().splitlines()[-1:]
        print(json.dumps({"world": name, "error": f"{type(error).__name__}: {error}", "output": last}), flush=True)
        traceback.print_exc()
    finally:
        signal.alarm(0)
sys.exit(1 if failed else 0)
