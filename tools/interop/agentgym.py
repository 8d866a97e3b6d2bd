"""AgentGym's own clients, tasks and Evaluator, unchanged, against our server: plays episodes of each world and prints one JSON object a world.

Usage: agentgym.py ADDRESS EPISODES MODELS [WORLD ...], the models by world as JSON. The policies that the server has play their worlds through
/v1/chat/completions, as many rounds as they were trained on. Maze and Wordle are played by an agent that says one of the offered actions at
random: their clients open with rules of over a thousand tokens, which a tiny policy has neither words nor room for.
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
    BabyAITask,
    MazeTask,
    SciworldTask,
    SearchQATask,
    TextCraftTask,
    WebarenaTask,
    WordleTask,
)

address, episodes, models = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
most_seconds = 900


class TooLong(BaseException):
    pass


class Refused(BaseException):
    pass


class Said(io.StringIO):
    """What its clients print. APIAgent prints that a request failed and asks again, without end: what is wrong stays wrong."""

    def write(self, text):
        if text.startswith("Error code: 4"):
            raise Refused(text)
        return super().write(text)


def too_late(*_):
    raise TooLong(f"not played within {most_seconds} s")


signal.signal(signal.SIGALRM, too_late)


class Chance(APIAgent):
    """Says one of the actions that `offers` finds in the first text."""

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
    """Wordle's client lists the vocabulary that the server told it, a word a line."""
    return [" ".join(word) for word in re.findall(r"^[a-z]{5}$", text, re.MULTILINE)]


# Task, agent, rounds, and the rewards that its server can give at the end.
plays = {
    "textcraft": (TextCraftTask, policy("textcraft"), 4, (0, 1)),
    "babyai": (BabyAITask, policy("babyai"), 20, (0, 1)),
    "sciworld": (SciworldTask, policy("sciworld"), 2, (-100, 100)),
    "maze": (MazeTask, Chance(lambda text: moves), 15, (-1, 1)),
    "wordle": (WordleTask, Chance(listed_words), 6, (-6, 1)),
    "searchqa": (SearchQATask, policy("searchqa"), 2, (0, 1)),
    "webarena": (WebarenaTask, policy("webarena"), 3, (0, 1)),
}

# Which item an episode plays. Another game of the maze starts on the goal, which the original refuses as well; of ScienceWorld's tasks, the two
# that its agent was trained in.
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
        raise AssertionError("the same item began in two ways")
    # Every game of Wordle begins alike.
    if name != "wordle" and opening(task, items[0]) == opening(task, items[1]):
        raise AssertionError("two items began alike")
    # One at a time: its success of several is an error of numpy's.
    results = [Evaluator(agent, [task]).eval(max_rounds=rounds, idxs=[item_of(episode)]) for episode in range(episodes)]
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
        # Its own count: a reward of just 1 or 100, which BabyAI's, less the longer it took, never is.
        "success": sum(float(result.success) for result in results) / episodes,
        "rewarded": sum(reward > 0 for reward in rewards) / episodes,
        "messages": sum(len(each.conversation) for each in played),
        "closed": closed,
    }


failed = False
for name in sys.argv[4:] or plays:
    said = Said()
    try:
        signal.alarm(most_seconds)
        # Some clients print every message.
        with contextlib.redirect_stdout(said):
            played = play(name)
        print(json.dumps({"world": name, "by": getattr(plays[name][1], "model", "chance"), **played}), flush=True)
    except (Exception, TooLong, Refused) as error:
        failed = True
        last = said.getvalue().strip().splitlines()[-1:]
        print(json.dumps({"world": name, "error": f"{type(error).__name__}: {error}", "said": last}), flush=True)
        traceback.print_exc()
    finally:
        signal.alarm(0)
sys.exit(1 if failed else 0)
