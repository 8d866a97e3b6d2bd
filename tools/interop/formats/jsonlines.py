"""Answers folders, one on each line of standard input, with what `read` returns or why it refuses, as JSON lines."""
import json
import sys


def answers(read):
    out = sys.stdout
    # A library may print; only answers go to the real output.
    sys.stdout = sys.stderr
    for line in sys.stdin:
        folder = json.loads(line)
        try:
            answer = {"values": read(folder)}
        except Exception as error:
            answer = {"refused": f"{type(error).__name__}: {error}"[:400]}
        out.write(json.dumps(answer) + "\n")
        out.flush()
