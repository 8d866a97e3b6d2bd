"""Players for worlds whose policies are not shipped: each plays by a short plan, from the texts of AgentGym's clients alone."""

import re

from agentenv.controller import APIAgent


class Planned(APIAgent):
    """Plays a plan: a generator that gets each text of the world and yields the next action. A new conversation starts it anew."""

    def __init__(self, plan):
        self.plan = plan

    def generate(self, conversation):
        text = conversation[-1]["content"]
        if len(conversation) == 3:
            self.actions = self.plan(text)
            action = next(self.actions)
        else:
            action = self.actions.send(text)
        return f"Thought:\nI follow my plan.\n\nAction:\n{action}", None


stations = {"clean": "sinkbasin", "heat": "microwave", "cool": "fridge"}
treatments = {"clean": "clean", "heat": "heat", "hot": "heat", "cool": "cool"}


def wanted(task):
    """Treatment, thing, place and number of a task's text; without a place the thing is for a lamp."""
    words = re.findall(r"\w+", task)
    treatment = next((treatments[word] for word in words if word in treatments), None)
    lamp = re.search(r"(?:at|examine) (?:\w+ )*?(\w+) (?:under|with) the (\w+)", task)
    if lamp:
        return None, lamp[1], None, 1
    thing, place = re.search(r"(\w+) (?:and put (?:it|them) )?(?:in|on) (\w+)", task).groups()
    return treatment, thing, place, 2 if "two" in words else 1


def household(text):
    """Searches every place in turn, and does with the thing what the task asks."""
    task = re.search(r"Your task is to: (.*?)\.", text)[1]
    places = re.findall(r"an? (\w+ \d+)", text.split("Your task")[0])
    treatment, thing, target, number = wanted(task)

    def visit(place):
        seen = yield f"go to {place}"
        if "is closed" in seen:
            seen = yield f"open {place}"
        return seen

    for place in places:
        if target and place.startswith(f"{target} "):
            continue
        seen = yield from visit(place)
        for found in re.findall(rf"\b({thing} \d+)", seen)[:number]:
            yield f"take {found} from {place}"
            if target is None:
                yield from light(places, visit)
                break
            if treatment:
                station = next(each for each in places if each.startswith(f"{stations[treatment]} "))
                yield f"go to {station}"
                yield f"{treatment} {found} with {station}"
            goal = next(each for each in places if each.startswith(f"{target} "))
            yield from visit(goal)
            yield f"put {found} in/on {goal}"
            yield from visit(place)
    while True:
        yield "look"


def light(places, visit):
    """Uses every lamp that it finds."""
    for place in places:
        seen = yield from visit(place)
        for lamp in re.findall(r"\b(\w+lamp \d+)", seen):
            yield f"use {lamp}"


def shop(text):
    """Buys the first product that a search for the wish finds, with the options that the wish names."""
    wish = text.split(" [SEP] ")[2].lower()
    wish = wish.removeprefix("instruction: ").replace("[", " ").replace("]", " ")
    seen = yield f"search[{wish}]"
    product = next((part for part in seen.split(" [SEP] ") if re.fullmatch(r"B0\w{8}", part)), None)
    if product is None:
        while True:
            yield "click[back to search]"
    seen = yield f"click[{product}]"
    for part in seen.split("Instruction:")[-1].split(" [SEP] ")[2:]:
        if part.lower() in wish and len(part) > 2:
            yield f"click[{part}]"
    while True:
        yield "click[buy now]"
