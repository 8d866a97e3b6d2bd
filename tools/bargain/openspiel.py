"""Writes tests/envs/fixtures/bargain.golden.json: games of OpenSpiel's `bargaining`, played at random.

    python tools/bargain/openspiel.py > tests/envs/fixtures/bargain.golden.json

Needs open_spiel (2.0.2). A line for each game: turns, discount, counts, values of the first and of the second seat, the
actions, the number of legal actions before each, and the payoffs. An action is what the proposer keeps, a digit for
each kind, or `a` for an acceptance; the payoffs are shares of the total value. Acceptances are drawn more often than by
chance, so that half of the games end with one.
"""
import json
import random
import tempfile

import pyspiel

GAMES = 2000
TOTAL = 10


def digits(numbers):
    return "".join(str(each) for each in numbers)


def draw_values(counts, rng):
    while True:
        values = [rng.randrange(TOTAL // count + 1) for count in counts]
        if sum(count * value for count, value in zip(counts, values)) == TOTAL:
            return values


def kept(text):
    """`Offer: Book: 1, Hat: 0, Basketball: 2` as [1, 0, 2]."""
    return [int(part.split(":")[1]) for part in text.removeprefix("Offer: ").split(",")]


def load(turns, discount, deal):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(" ".join(",".join(map(str, each)) for each in deal) + "\n")
        file.flush()
        return pyspiel.load_game(
            "bargaining",
            {"max_turns": turns, "discount": discount, "instances_file": file.name},
        )


def play(rng):
    counts = [1, 1, 1]
    for _ in range(rng.randrange(1, 5)):
        counts[rng.randrange(3)] += 1
    deal = [counts, draw_values(counts, rng), draw_values(counts, rng)]
    turns = rng.randrange(2, 11)
    discount = rng.choice([1.0, 0.9, 0.5])
    state = load(turns, discount, deal).new_initial_state()
    state.apply_action(state.legal_actions()[0])
    actions, offered = [], []
    while not state.is_terminal():
        legal = state.legal_actions()
        texts = {action: state.action_to_string(action) for action in legal}
        accepts = [action for action in legal if texts[action] == "Agree"]
        action = accepts[0] if accepts and rng.random() < 0.15 else rng.choice(legal)
        actions.append("a" if texts[action] == "Agree" else digits(kept(texts[action])))
        offered.append(len(legal))
        state.apply_action(action)
    payoffs = [round(each / TOTAL, 12) for each in state.returns()]
    return [turns, discount, *deal, " ".join(actions), offered, payoffs]


rng = random.Random(1)
games = [play(rng) for _ in range(GAMES)]
print("[\n" + ",\n".join(json.dumps(each, separators=(",", ":")) for each in games) + "\n]")
