"""Gymnasium's own checks, and the vectorised environment beside Gymnasium's over single ones."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from tabgym import ServerError, TabgymError, TextEnv, TextVectorEnv


@pytest.mark.parametrize("world", ["textcraft", "babyai", "wordle"])
def test_gymnasium_accepts_the_environment(server, world):
    env = gymnasium.make("tabgym/Text-v0", address=server.address, world=world, render_mode="ansi").unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)
    env.close()


def test_gymnasium_makes_the_vector(server):
    options = {"address": server.address, "world": "textcraft"}
    kind = gymnasium.VectorizeMode.VECTOR_ENTRY_POINT
    envs = gymnasium.make_vec("tabgym/Text-v0", num_envs=2, vectorization_mode=kind, **options)
    assert isinstance(envs.unwrapped, TextVectorEnv)
    assert len(envs.reset(seed=1)[0]) == 2
    envs.close()


def test_a_seed_gives_the_same_tasks(server):
    env = TextEnv(server.address, "textcraft")
    tasks = lambda: [env.reset(seed=5)[1]["index"], env.reset()[1]["index"], env.reset()[1]["index"]]
    first = tasks()
    assert tasks() == first
    assert len(set(first)) > 1
    assert env.reset(seed=6)[1]["index"] != first[0]
    env.close()


def test_options_name_a_task(server):
    env = TextEnv(server.address, "textcraft")
    text, info = env.reset(options={"split": "test", "index": 3})
    assert (info["split"], info["index"]) == ("test", 3)
    assert env.client.tasks("test", 3, 4)[0]["item"] == info["item"]
    assert env.reset(options={"split": "test", "index": 3})[0] == text
    with pytest.raises(ServerError, match="has the tasks 0 to"):
        env.reset(options={"index": 10**9})
    with pytest.raises(ValueError, match="only split and index"):
        env.reset(options={"task": 3})
    assert env.reset(options={"index": np.int64(3)})[1]["index"] == 3
    for index in (3.7, "3", None):
        with pytest.raises(ValueError, match="must be a whole number"):
            env.reset(options={"index": index})
    env.close()


def test_an_episode_is_truncated(server):
    env = TextEnv(server.address, "textcraft", max_turns=2)
    env.reset(seed=1)
    assert env.step("inventory")[2:4] == (False, False)
    assert env.step("inventory")[2:4] == (False, True)
    env.close()


def choose(infos, i, turn):
    """An action that depends on the world's list, so that a difference between two lists is seen."""
    offered = infos["valid_actions"][i]
    return "inventory" if not offered else offered[(turn * 7 + i * 3) % len(offered)]


@pytest.mark.parametrize("max_turns", [None, 4])
def test_the_vector_is_gymnasiums(server, max_turns):
    count = 5
    single = lambda: TextEnv(server.address, "textcraft", max_turns=max_turns)
    theirs = SyncVectorEnv([single] * count)
    ours = TextVectorEnv(server.address, "textcraft", count, max_turns=max_turns)
    a, b = theirs.reset(seed=11), ours.reset(seed=11)
    assert data_equivalence(a, b)
    ended = 0
    for turn in range(60):
        infos = b[-1]
        actions = tuple(choose(infos, i, turn) for i in range(count))
        a, b = theirs.step(actions), ours.step(actions)
        assert a[0] == b[0]
        for one, other in zip(a[1:4], b[1:4]):
            np.testing.assert_array_equal(one, other)
        assert a[4].keys() == b[4].keys()
        for key in a[4]:
            assert [x for x in a[4][key]] == [x for x in b[4][key]], key
        ended += int((b[2] | b[3]).sum())
    assert ended > 0
    theirs.close()
    ours.close()


# A seed of NumPy's generators is no int (github.com/openai/gym/issues/3127); 0 was taken for none.
def test_the_vectors_seeds_are_gymnasiums(server):
    env = TextVectorEnv(server.address, "textcraft", 2)
    tasks = lambda seed: list(env.reset(seed=seed)[1]["index"])
    assert tasks(np.int64(0)) == tasks(0) == tasks([0, 1]) == tasks(np.array([0, 1]))
    for seed, message in ([1], "seed has 1 values: it must have 2"), ([1, 2, 3], "seed has 3 values: it must have 2"):
        with pytest.raises(ValueError, match=message):
            env.reset(seed=seed)
    with pytest.raises(TypeError):
        env.reset(seed=[0.5, 1])
    env.close()


# With shared memory it ended at the first space of a text, by a KeyError (gymnasium.farama.org/api/vector/async_vector_env).
def test_gymnasiums_processes_take_no_shared_memory(server):
    single = lambda: TextEnv(server.address, "textcraft")
    with pytest.raises(ValueError, match="shared_memory=False"):
        AsyncVectorEnv([single] * 2)
    envs = [AsyncVectorEnv([single] * 2, shared_memory=False), TextVectorEnv(server.address, "textcraft", 2)]
    first, second = [env.reset(seed=3)[0] for env in envs]
    assert first == second
    for env in envs:
        env.close()


def test_an_error_leaves_the_other_answers_in_order(server):
    env = TextVectorEnv(server.address, "textcraft", 3)
    with pytest.raises(ServerError):
        env.reset(options={"indices": [0, 10**9, 2]})
    first = env.reset(options={"indices": [0, 1, 2]})
    assert list(first[1]["index"]) == [0, 1, 2]
    with pytest.raises(ValueError, match="there must be 3"):
        env.step(["inventory"])
    env.close()


def test_a_missing_server_is_named():
    with pytest.raises(TabgymError, match="npx tabgym serve"):
        TextEnv("http://127.0.0.1:9", "textcraft").reset()
    with pytest.raises(ValueError, match="must be like"):
        TextEnv("127.0.0.1:9", "textcraft")
