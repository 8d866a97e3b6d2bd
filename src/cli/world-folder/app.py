"""Starts the server of this environment: OpenEnv's protocol on one port, in Node. `uv run server --port 8000`."""

import argparse
import os
import shutil
import sys
from pathlib import Path

folder = Path(__file__).resolve().parent.parent


def command(host, port):
    node = shutil.which("node")
    if node is None:
        sys.exit("This environment needs Node 20.19 or later: https://nodejs.org")
    if not (folder / "node_modules").exists():
        sys.exit(f"Run `npm install --omit=dev` in {folder} first.")
    script = folder / "build/cli/world-server.js"
    return [node, str(script), str(folder / "world.js"), "--host", host, "--port", str(port)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    given = parser.parse_args()
    arguments = command(given.host, given.port)
    os.execv(arguments[0], arguments)


if __name__ == "__main__":
    main()
