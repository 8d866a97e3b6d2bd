"""Runs OpenEnv's own client and validator against our server, with the package openenv (0.10.0) installed. Prints one JSON object per check.

Usage: openenv.py ADDRESS WORLD, as in http://127.0.0.1:36001 textcraft.
"""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

# This file has the same name as the package, so its folder must not be on the path.
sys.path = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).parent.resolve()]
from openenv import GenericEnvClient  # noqa: E402

address, world = sys.argv[1:3]
failed = False


def report(name, ok, **more):
    global failed
    failed = failed or not ok
    print(json.dumps({"check": name, "ok": bool(ok), **more}), flush=True)


async def play(base):
    """Plays an episode of at most ten actions that the world offers; the same task must start with the same text twice."""
    async with GenericEnvClient(base_url=base) as env:
        first = await env.reset(split="train", index=3)
        again = await env.reset(split="train", index=3)
        steps, result = 0, again
        while not result.done and steps < 10:
            result = await env.step({"message": (result.observation.get("valid_actions") or ["inventory"])[0]})
            steps += 1
        state = await env.state()
        same = first.observation["text"] == again.observation["text"]
        report(f"GenericEnvClient plays at {base}", same and state["step_count"] == steps, steps=steps, reward=result.reward)


for base in (f"{address}/{world}", f"{address}/openenv/{world}"):
    asyncio.run(play(base))
command = [str(Path(sys.executable).parent / "openenv"), "validate", "--url", f"{address}/{world}"]
made = subprocess.run(command, capture_output=True, text=True)
# One line per check, as in `  PASS  health_endpoint`.
checks = [line.split() for line in made.stdout.splitlines() if line.startswith("  ") and line.split()[0].isupper()]
wrong = [" ".join(check) for check in checks if check[0] != "PASS"]
report("openenv validate", made.returncode == 0 and checks and not wrong, checks=len(checks), wrong=wrong)
sys.exit(1 if failed else 0)
