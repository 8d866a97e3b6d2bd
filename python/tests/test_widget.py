"""The widget's Python side, with messages as the page sends them."""

import gzip
import json

import pytest
from tabgym import TabgymError, Widget, preset

RECORDS = [
    {"step": 0, "stage": 4, "metrics": {"success": 0.25}, "evaluation": {"test": {"policy": {"rate": 0.5}, "oracle": None}}},
    {"step": 1, "stage": 4, "metrics": {"success": 0.5}},
]


@pytest.fixture
def widget(monkeypatch):
    made = Widget({"name": "mine", "steps": 2})
    made.sent = []
    monkeypatch.setattr(type(made), "send", lambda self, message, buffers=(): self.sent.append((message, buffers)))
    return made


def test_commands_wait_until_the_page_shows_the_widget(widget):
    widget.start()
    assert widget.sent == []
    widget._received(widget, {"shown": True}, [])
    widget.pause()
    assert [message["command"] for message, _ in widget.sent] == ["start", "pause"]


def test_metrics_are_a_frame(widget):
    seen = []
    widget.on_step(lambda record: seen.append(record["step"]))
    assert widget.metrics().empty
    widget._received(widget, {"records": RECORDS}, [])
    frame = widget.metrics()
    assert list(frame.index) == [0, 1] == seen
    assert frame["success"].tolist() == [0.25, 0.5]
    assert frame.loc[0, "test.policy"] == 0.5


def test_trajectories_and_the_file_arrive(widget, tmp_path):
    assert widget.trajectories() == []
    with pytest.raises(TabgymError, match="request_file"):
        widget.save(tmp_path / "run.tabgym")
    widget._received(widget, {"trajectories": [{"reward": 1}], "step": 2}, [])
    widget._received(widget, {"file": 3}, [memoryview(b"run")])
    assert widget.trajectories() == widget.trajectories(2) == [{"reward": 1}]
    widget.save(tmp_path / "run.tabgym")
    assert (tmp_path / "run.tabgym").read_bytes() == b"run"


def test_sources(tmp_path):
    assert json.loads(Widget({"name": "mine"})._source) == {"name": "mine"}
    (tmp_path / "mine.json").write_text("{}")
    assert Widget(tmp_path / "mine.json")._source == Widget(b"{}")._source == b"{}"
    assert preset("micro", steps=3)["steps"] == 3
    with pytest.raises(TabgymError, match="choose from .*micro"):
        preset("no-such-experiment")


def test_the_page_receives_the_elements_files(widget):
    widget._received(widget, {"want": "files", "names": ["helper", "element"]}, [])
    [(message, buffers)] = widget.sent
    assert message == {"files": ["helper", "element"]}
    assert "tab-gym" in gzip.decompress(buffers[1]).decode()
    widget._received(widget, {"want": "files", "names": ["absent"]}, [])
    assert "npm run build:python" in widget.sent[1][0]["missing"]
