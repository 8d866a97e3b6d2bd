"""A server that answers wrongly, never, or without an end: a named error in time, and no token for another host."""

import json
import socket
import sys
import threading
import time
import tracemalloc
from contextlib import contextmanager

import pytest
from tabgym import OpenEnvClient, StepResult, TabgymError, serve
from websockets.sync.server import serve as serve_sockets

OBSERVED = {"observation": {"text": "a", "valid": True, "valid_actions": None}, "reward": None, "done": False}


@contextmanager
def http_server(*pieces, every=0.0, endless=b""):
    """Sends these bytes to every connection, then `endless` again and again. Yields its port and the requests' heads."""
    heads = []

    def answer(connection):
        try:
            heads.append(connection.recv(65536))
            for piece in pieces:
                connection.sendall(piece)
            while endless:
                connection.sendall(endless)
                time.sleep(every)
            # A close before the whole request was read would discard the answer.
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
        except OSError:
            pass
        connection.close()

    def listen():
        while True:
            try:
                threading.Thread(target=answer, args=[listening.accept()[0]], daemon=True).start()
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=listen, daemon=True).start()
        yield listening.getsockname()[1], heads
        listening.shutdown(socket.SHUT_RDWR)


def whole(body, status=b"200 OK", more=b""):
    return b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (status, more, len(body), body)


def client_of(port, **options):
    return OpenEnvClient(f"http://127.0.0.1:{port}", "textcraft", **{"timeout": 1.0, **options})


@pytest.mark.parametrize(
    "body",
    [b"null", b"{}", b"", b"<html>", b"[" * 200_000, b"\xff\xfe", b"9" * 10_000, b'{"num_tasks": "x"}', b'{"num_tasks": NaN}'],
    ids=lambda body: body[:20].decode(errors="replace"),
)
def test_wrong_bodies(body):
    with http_server(whole(body)) as (port, _), pytest.raises(TabgymError, match="cannot be read"):
        client_of(port).num_tasks()


def test_answers_without_an_end():
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    with http_server(head, endless=b"x" * (1 << 20)) as (port, _), pytest.raises(TabgymError, match="longer than"):
        client_of(port, timeout=30.0).metadata()
    for begun, piece in [(head, b"x"), (b"HTTP/1.1 200 OK\r\n", b"a: b\r\n"), (b"", b"HTTP/1.1 100 Continue\r\n\r\n")]:
        with http_server(begun, every=0.1, endless=piece) as (port, _):
            with pytest.raises(TabgymError, match="did not answer within 1.0 s"):
                client_of(port).metadata()


def test_broken_answers():
    for broken in [b"", b"HELLO\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"]:
        with http_server(broken) as (port, _), pytest.raises(TabgymError):
            client_of(port).metadata()


def test_redirects_are_not_followed():
    with http_server(whole(b"{}")) as (other, heads):
        for address in [f"http://localhost:{other}/x", "file:///etc/hostname", "http://["]:
            moved = whole(b"", b"302 Found", b"Location: %s\r\n" % address.encode())
            with http_server(moved) as (port, asked):
                with pytest.raises(TabgymError, match="redirects"):
                    client_of(port, token="a-secret-of-20-letters").metadata()
                assert b"a-secret-of-20-letters" in asked[0]
        assert heads == []


@contextmanager
def socket_server(*messages):
    """Answers the first message of every socket with these, and then no more."""

    def answer(connection):
        connection.recv()
        for message in messages:
            connection.send(message)
        connection.recv()

    with serve_sockets(answer, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.socket.getsockname()[1]
        server.shutdown()


WRONG = [
    *[None, 5, [], {}, {"type": 5}, {"type": "observation"}, {"type": "observation", "data": []}],
    *[{"type": "error", "data": {}}, {"type": "error", "data": {"code": {}, "message": []}}],
    {"type": "observation", "data": {**OBSERVED, "reward": "x"}},
    {"type": "observation", "data": {**OBSERVED, "reward": True}},
    {"type": "observation", "data": {**OBSERVED, "done": 1}},
    {"type": "observation", "data": {**OBSERVED, "observation": {**OBSERVED["observation"], "valid_actions": [1]}}},
    {"type": "observation", "data": {**OBSERVED, "observation": None}},
]


@pytest.mark.parametrize("message", [*map(json.dumps, WRONG), "hello", "[" * 100_000, b"\xff\x00"], ids=lambda text: repr(text[:60]))
def test_wrong_messages(message):
    with socket_server(message) as port, client_of(port) as client, pytest.raises(TabgymError, match="cannot be read"):
        client.reset()


def test_messages_that_never_come_or_say_too_much():
    with socket_server() as port, client_of(port) as client:
        with pytest.raises(TabgymError, match="did not answer within 1.0 s"):
            client.reset()
    long = json.dumps({"type": "error", "data": {"code": "x", "message": "y" * 1_000_000}})
    with socket_server(long) as port, client_of(port) as client:
        with pytest.raises(TabgymError) as refused:
            client.reset()
        assert len(str(refused.value)) == 1000
    right = json.dumps({"type": "observation", "data": OBSERVED})
    with socket_server(right) as port, client_of(port) as client:
        assert client.reset() == StepResult("a", True, None, None, False)
    # A step must have a reward.
    with socket_server(right) as port, client_of(port) as client, pytest.raises(TabgymError, match="'reward'"):
        client.step("x")


def program(tmp_path, text):
    file = tmp_path / "program.py"
    file.write_text(text)
    return f"{sys.executable} {file}"


def test_programs_that_never_listen(tmp_path):
    talks = program(tmp_path, "for i in range(300_000): print('line', i)\nprint('x' * 30_000_000)\nprint('the end')")
    tracemalloc.start()
    with pytest.raises(TabgymError, match="did not start") as caught:
        serve(command=talks, timeout=60)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert str(caught.value).endswith("the end\n")
    assert len(str(caught.value)) < 110_000
    assert most < 5_000_000


def test_programs_that_write_on_after_they_listen(tmp_path):
    writes = "import time\nprint('listening on http://127.0.0.1:1, x', flush=True)\nprint('y' * 1_000_000, flush=True)\n"
    done = tmp_path / "done"
    command = program(tmp_path, f"{writes}open({str(done)!r}, 'w').close()\ntime.sleep(60)")
    with serve(command=command, timeout=30) as server:
        assert server.address == "http://127.0.0.1:1"
        for _ in range(200):
            if done.exists():
                break
            time.sleep(0.1)
        assert done.exists()
