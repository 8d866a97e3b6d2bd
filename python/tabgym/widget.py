"""The element `<tab-gym>` in a notebook: an agent that trains in the notebook's page, driven from the kernel."""

import json
from functools import cache
from pathlib import Path

try:
    import anywidget
    import pandas
    import traitlets
except ImportError as error:
    raise ImportError(
        f"tabgym.Widget needs {error.name}. Install the notebook's packages: pip install 'tabgym[notebook]'"
    ) from error

from .openenv import TabgymError

HERE = Path(__file__).parent
MISSING = (
    "This installation of tabgym has no files of the element. Build the package in a clone "
    "(npm run build:python) and install it: pip install 'build/python[notebook]'"
)


def preset(name, **changes):
    """An experiment of the package by its name, with some fields changed."""
    file = HERE / "experiments" / f"{name}.json"
    if not file.exists():
        names = sorted(each.stem for each in file.parent.glob("*.json"))
        raise TabgymError(f"There is no experiment {name!r}: choose from {', '.join(names)}." if names else MISSING)
    return {**json.loads(file.read_text()), **changes}


@cache
def packed(name):
    """A file of the element, as it is in the package: compressed."""
    return (HERE / "web" / f"{name}.js.gz").read_bytes()


def bytes_of(source):
    """Bytes of an experiment (a dictionary or the path of a JSON file) or of a run (its bytes, or a `.tabgym` file)."""
    if isinstance(source, dict):
        return json.dumps(source).encode()
    if isinstance(source, (bytes, bytearray)):
        return bytes(source)
    return Path(source).read_bytes()


def row_of(record):
    """A step as a row: its metrics, and the rates of its evaluation if it has one."""
    row = {"step": record["step"], **record["metrics"]}
    for split, values in (record.get("evaluation") or {}).items():
        for player in ("policy", "chance", "oracle"):
            rate = values.get(player)
            row[f"{split}.{player}"] = rate["rate"] if rate else None
    return row


class Widget(anywidget.AnyWidget):
    """Shows an experiment or a run, and trains it in the page: on its GPU, or its processor.

    The kernel sends commands (`start`, `pause`, `play`, `request`), and the page sends back what happens. A kernel reads
    the page's messages between two cells, so the result of a command is there in the next cell.
    """

    _esm = HERE / "widget.js"
    _source = traitlets.Bytes().tag(sync=True)
    view = traitlets.Enum(["watch", "group", "curves", "play"], "curves").tag(sync=True)
    controls = traitlets.Bool(True).tag(sync=True)
    theme = traitlets.Enum(["", "light", "dark"], "").tag(sync=True)
    lang = traitlets.Unicode("").tag(sync=True)
    status = traitlets.Unicode("loading").tag(sync=True)
    error = traitlets.Unicode("").tag(sync=True)

    def __init__(self, source, **settings):
        super().__init__(_source=bytes_of(source), **settings)
        self._records = {}
        self._trajectories = {}
        self._file = None
        self._waiting = []
        self._shown = False
        self._listeners = []
        self.on_msg(self._received)

    # Commands

    def start(self):
        """Trains to the experiment's last step, or until `pause`."""
        self._command("start")

    def pause(self):
        self._command("pause")

    def play(self):
        """Plays one held-out task with the policy as it is."""
        self._command("play")

    def request(self, step=None):
        """Asks for the trajectories of a step (default: the last that is kept); `trajectories` has them afterwards."""
        self._command("trajectories", step=step)

    def request_file(self):
        """Asks for the run's file; `save` writes it afterwards."""
        self._command("file")

    def on_step(self, listener):
        """Calls a function with each step's record."""
        self._listeners.append(listener)

    # What the page has sent

    def metrics(self):
        """Metrics of the steps as a frame of pandas; docs/metrics.md explains each column."""
        rows = [row_of(self._records[step]) for step in sorted(self._records)]
        return pandas.DataFrame(rows, columns=None if rows else ["step"]).set_index("step")

    def trajectories(self, step=None):
        """Trajectories of a step (default: the last that was sent), each with `messages`, `reward` and `success`."""
        if step is None:
            step = max(self._trajectories, default=None)
        return self._trajectories.get(step, [])

    def save(self, path):
        """Writes the run as a `.tabgym` file, which the page of Tabgym opens. Needs `request_file` in an earlier cell."""
        if self._file is None:
            raise TabgymError("The run's file has not arrived: call request_file() in an earlier cell, after training.")
        Path(path).write_bytes(self._file)

    def _command(self, name, **values):
        message = {"command": name, **values}
        if self._shown:
            self.send(message)
        else:
            # The page shows the widget only after its cell.
            self._waiting.append(message)

    def _received(self, _, message, buffers):
        if message.get("want") == "files":
            try:
                self.send({"files": message["names"]}, [packed(name) for name in message["names"]])
            except FileNotFoundError:
                self.send({"missing": MISSING})
        if message.get("shown"):
            self._shown = True
            while self._waiting:
                self.send(self._waiting.pop(0))
        for record in message.get("records", ()):
            self._records[record["step"]] = record
            for listener in self._listeners:
                listener(record)
        if "trajectories" in message:
            self._trajectories[message["step"]] = message["trajectories"]
        if "file" in message:
            self._file = bytes(buffers[0])
