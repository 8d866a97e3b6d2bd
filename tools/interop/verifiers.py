"""Plays our served world with verifiers' own evaluation and its OpenEnv task set, with the packages verifiers and openenv installed. Prints one
JSON object per check.

Usage: verifiers.py ADDRESS EPISODES, as in http://127.0.0.1:36001 2, where TextCraft is served with goals one craft away. The model is a plan
behind this script's own OpenAI-compatible address: verifiers sends it the world's texts and asks for actions. (verifiers starts a process for
each turn: random play, which takes many turns, took more than six minutes for four episodes.)
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

address, episodes = sys.argv[1], int(sys.argv[2])
turns = 8
seconds = 400


def plan(text):
    """Actions that reach the goal of TextCraft's first text: get its ingredients, then craft."""
    goal = re.search(r"^Goal: craft (.*)\.$", text, re.MULTILINE)[1]
    command, inputs = re.search(rf"^(craft \d+ {re.escape(goal)} using (.*))$", text, re.MULTILINE).groups()
    return [*(f"get {each}" for each in inputs.split(", ")), command]


def text_of(content):
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


class Model(BaseHTTPRequestHandler):
    """Answers with the plan's action for this turn."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        first = next(text_of(message["content"]) for message in request["messages"] if message["role"] == "user")
        steps = plan(json.loads(first)["observation"]["text"])
        turn = sum(message["role"] == "assistant" for message in request["messages"])
        action = steps[min(turn, len(steps) - 1)]
        message = {"role": "assistant", "content": json.dumps({"message": action})}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        reply = json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": request["model"], "choices": choices, "usage": usage})
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply.encode())

    def log_message(self, *_):
        pass


def configuration(model):
    resets = ", ".join(f'{{ split = "train", index = {index} }}' for index in range(episodes))
    return f"""
model = "plan"
env = {{ taskset = {{ id = "openenv", base_url = "{address}/textcraft", resets = [{resets}] }}, player = {{ max_turns = {turns}, harness = {{ id = "null" }}, runtime = {{ type = "subprocess" }} }} }}
client = {{ base_url = "{model}", api_key_var = "TABGYM_NO_KEY" }}
"""


def played(folder, model):
    """Returns the traces of the evaluation and the end of its output."""
    settings = folder / "eval.toml"
    settings.write_text(configuration(model))
    command = [str(Path(sys.executable).parent / "eval"), "@", str(settings), "--no-push", "--no-rich", "--no-serve", "-o", str(folder)]
    env = {**os.environ, "NO_PROXY": "127.0.0.1"}
    made = subprocess.run(command, capture_output=True, text=True, env=env, timeout=seconds)
    lines = [line for file in folder.rglob("traces.jsonl") for line in file.read_text().splitlines()]
    return [json.loads(line) for line in lines], (made.stdout + made.stderr)[-1500:]


def reward_of(episode):
    return sum(reward["score"] for trace in episode["traces"] for reward in trace["rewards"].values())


model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=model.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory() as folder:
    found, output = played(Path(folder), f"http://127.0.0.1:{model.server_port}/v1")
rewards = [reward_of(each) for each in found]
ok = len(found) == episodes and all(each["ok"] for each in found) and all(reward == 1 for reward in rewards)
print(json.dumps({"check": "verifiers plays textcraft", "ok": ok, "episodes": len(found), "rewards": rewards}), flush=True)
if not ok:
    print(output, file=sys.stderr)
sys.exit(0 if ok else 1)
