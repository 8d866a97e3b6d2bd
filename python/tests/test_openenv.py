"""The OpenEnv client: episodes, tools, tasks, refusals."""

import pytest
from tabgym import ServerError, StepResult, TabgymError, serve


def test_an_episode(server):
    with server.client("textcraft") as client:
        with pytest.raises(ServerError, match="reset first") as refused:
            client.step("inventory")
        assert refused.value.code == "EXECUTION_ERROR"
        begun = client.reset(index=0, episode_id="mine")
        assert begun.reward is None and not begun.done and "Goal: " in begun.text
        wrong = client.step("no such action")
        assert not wrong.valid and wrong.reward == 0
        state = client.state()
        assert (state["episode_id"], state["step_count"], state["index"]) == ("mine", 1, 0)


def test_tools_are_called(server):
    with server.client("textcraft") as client:
        assert {"act", "new_episode"} <= {tool["name"] for tool in client.tools()}
        begun = client.call("new_episode", index=0)
        assert isinstance(begun, StepResult) and begun.text == client.reset(index=0).text
        assert client.call("act", message="inventory").text == client.step("inventory").text
        with pytest.raises(ServerError, match="no tool"):
            client.call("fly")


def test_tasks_and_descriptions(server):
    with server.client("textcraft") as client:
        count = client.num_tasks("test")
        tasks = client.tasks("test")
        assert len(tasks) == count and [task["index"] for task in tasks] == list(range(count))
        assert client.metadata()["name"] == "textcraft"
        assert client.schema()["action"]["required"] == ["message"]
    with server.client("no-such-world") as client:
        with pytest.raises(TabgymError, match="no-such-world"):
            client.reset()
        with pytest.raises(ServerError, match="does not serve"):
            client.metadata()


def test_a_session_ends_and_opens_again(server):
    client = server.client("textcraft")
    first = client.reset(index=0).text
    client.close()
    assert client.reset(index=0).text == first
    client.close()


def test_a_token_is_sent(monkeypatch):
    monkeypatch.setenv("TABGYM_SERVE_TOKEN", "a-token-of-20-letters")
    with serve("textcraft") as server:
        with server.client("textcraft", token="a-token-of-20-letters") as client:
            assert client.reset(index=0).text and client.num_tasks() > 0
        with server.client("textcraft") as client, pytest.raises(TabgymError):
            client.reset()


def test_a_server_that_does_not_start_is_quoted(monkeypatch):
    with pytest.raises(TabgymError, match="not on this machine"):
        serve(command="no-such-program")
    with pytest.raises(TabgymError, match="no-such-world"):
        serve("no-such-world")
