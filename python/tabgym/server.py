"""A server of worlds as a program of its own, which ends with the block or the interpreter."""

import atexit
import collections
import os
import re
import shlex
import shutil
import subprocess
import threading

from .openenv import OpenEnvClient, TabgymError

DEFAULT_COMMAND = "npx tabgym serve"

# Lines that are kept for the error of a server that does not start, and characters of one.
KEPT_LINES = 10
LONGEST_LINE = 10_000


class Server:
    """A running server. `address` is the value for `TextEnv` and `OpenEnvClient`."""

    def __init__(self, process, address):
        self.address = address
        self._process = process
        atexit.register(self.close)

    def client(self, world, **options):
        return OpenEnvClient(self.address, world, **options)

    def close(self):
        atexit.unregister(self.close)
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def serve(*worlds, options=None, command=None, timeout=120.0):
    """Starts a server of these worlds (default: all) on a free port of this machine.

    `options` is the path of a JSON file of options by world. `command` is the program, by default `TABGYM_SERVE` of the
    surroundings, or `npx tabgym serve`, which needs Node.
    """
    words = shlex.split(command or os.environ.get("TABGYM_SERVE") or DEFAULT_COMMAND)
    program = shutil.which(words[0])
    if program is None:
        raise TabgymError(
            f"{words[0]} is not on this machine. Install Node 20.19 or later, or give the address of a running server."
        )
    arguments = [f"--world={world}" for world in worlds] + ([f"--options={options}"] if options else [])
    process = subprocess.Popen(
        [program, *words[1:], "--port=0", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    lines = collections.deque(maxlen=KEPT_LINES)
    timer = threading.Timer(timeout, process.kill)
    timer.start()
    try:
        while line := process.stdout.readline(LONGEST_LINE):
            lines.append(line)
            listening = re.match(r"listening on (http\S+?),", line)
            if listening:
                # The pipe is read on, so that the server never waits for it.
                threading.Thread(target=_drain, args=(process.stdout,), daemon=True).start()
                return Server(process, listening[1])
    finally:
        timer.cancel()
    process.wait()
    raise TabgymError(f"The server did not start ({shlex.join(words)}):\n{''.join(lines)}")


def _drain(stream):
    while stream.read(LONGEST_LINE):
        pass
