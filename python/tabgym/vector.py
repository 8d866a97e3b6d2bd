"""Several worlds of a kind as a vectorised environment of Gymnasium."""

from operator import index as whole

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .environment import info_of, info_of_task, reset_data, space_of_actions, space_of_observations
from .openenv import OpenEnvClient, StepResult, TabgymError


def seeds_of(seed, count):
    """Seed of each world, as Gymnasium's `SyncVectorEnv` takes them: None, a whole number, or one for each world."""
    if seed is None:
        return [None] * count
    if isinstance(seed, (int, np.integer)):
        return [int(seed) + i for i in range(count)]
    seeds = list(seed)
    if len(seeds) != count:
        raise ValueError(f"seed has {len(seeds)} values: it must have {count}.")
    return [None if each is None else whole(each) for each in seeds]


class TextVectorEnv(VectorEnv):
    """`num_envs` worlds that step together: all messages are sent before the first answer is read.

    The order of tasks, the spaces and the infos are those of Gymnasium's `SyncVectorEnv` over `TextEnv`: the seed of
    world `i` is `seed + i`, and a finished world begins its next episode at the next step, whose action it ignores.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, address, world, num_envs=1, *, split="train", max_turns=None, token=None, timeout=60.0):
        self.num_envs = num_envs
        self.single_observation_space = space_of_observations()
        self.single_action_space = space_of_actions()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.clients = [OpenEnvClient(address, world, token=token, timeout=timeout) for _ in range(num_envs)]
        self.split = split
        self.max_turns = max_turns
        self.generators = [seeding.np_random()[0] for _ in range(num_envs)]
        self.turns = np.zeros(num_envs, dtype=np.int64)
        self.ended = np.ones(num_envs, dtype=bool)

    def reset(self, *, seed=None, options=None):
        """`options` as in `TextEnv`, for every world; or `{"indices": [...]}`, a task of the split for each."""
        for i, each in enumerate(seeds_of(seed, self.num_envs)):
            if each is not None:
                self.generators[i] = seeding.np_random(each)[0]
        given = dict(options or {})
        indices = given.pop("indices", None)
        if indices is not None and len(indices) != self.num_envs:
            raise ValueError(f"options['indices'] has {len(indices)} values: it must have {self.num_envs}.")
        tasks = [given if indices is None else {**given, "index": indices[i]} for i in range(self.num_envs)]
        texts, _, _, _, infos = self._exchange([self._reset_messages(i, task) for i, task in enumerate(tasks)])
        return texts, infos

    def step(self, actions):
        actions = list(actions)
        if len(actions) != self.num_envs:
            raise ValueError(f"{len(actions)} actions were given: there must be {self.num_envs}.")
        return self._exchange(
            [
                self._reset_messages(i, None) if self.ended[i] else [("step", {"message": action})]
                for i, action in enumerate(actions)
            ]
        )

    def close_extras(self, **_):
        for client in self.clients:
            client.close()

    def _reset_messages(self, i, options):
        return [("reset", reset_data(self.generators[i], self.split, options)), ("state", None)]

    def _exchange(self, messages):
        """Sends a reset or a step to each world, and returns the answers in Gymnasium's form."""
        texts, infos = [], {}
        rewards = np.zeros(self.num_envs)
        done = np.zeros(self.num_envs, dtype=bool)
        for i, (answer, state) in enumerate(self._answers(messages)):
            result = StepResult.of_step(answer) if state is None else StepResult.of(answer)
            info = info_of(result)
            if state is None:
                self.turns[i] += 1
                rewards[i], done[i] = result.reward, result.done
            else:
                self.turns[i] = 0
                info |= info_of_task(state)
            texts.append(result.text)
            infos = self._add_info(infos, info, i)
        truncated = ~done & (self.turns >= (np.inf if self.max_turns is None else self.max_turns))
        self.ended = done | truncated
        return tuple(texts), rewards, done, truncated, infos

    def _answers(self, messages):
        """A pair for each world: the answer to a reset or step, and the state after a reset.

        Every answer is read before an error is raised, so that later answers belong to later messages.
        """
        for client, sent in zip(self.clients, messages):
            for kind, data in sent:
                client.send(kind, data)
        answers, errors = [], []
        for client, sent in zip(self.clients, messages):
            read = []
            for _ in sent:
                try:
                    read.append(client.receive())
                except TabgymError as error:
                    errors.append(error)
                    read.append(None)
            answers.append((read + [None])[:2])
        if errors:
            raise errors[0]
        return answers
