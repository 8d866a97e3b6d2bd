"""Answers folders, one on each line of standard input, with what `read` returns or why it refuses, as JSON lines."""
import json
import math
import sys


def finite(value):
    """The value with null in place of numbers that JSON has not."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    return [finite(each) for each in value] if isinstance(value, list) else value


def answers(read):
    out = sys.stdout
    # A library may print; only answers go to the real output.
    sys.stdout = sys.stderr
    for line in sys.stdin:
        folder = json.loads(line)
        try:
            answer = {"values": finite(read(folder))}
        except Exception as error:
            answer = {"refused": f"{type(error).__name__}: {error}"[:400]}
        out.write(json.dumps(answer) + "\n")
        out.flush()
