"""GRPO by TRL 1.16 in Tabgym's worlds: episodes of several turns over OpenEnv's socket, by `rollout_func`. `./serve.sh` serves the worlds.

Usage: python train.py [FIELD=VALUE ...], each a field of GRPOConfig, as max_steps=10 or use_vllm=true.

Token-in-token-out: sampled tokens are reused for the context and the training, never encoded again. All episodes of a step play in lockstep.
"""

import asyncio
import sys

from datasets import Dataset
from trl import GRPOTrainer

from tabgym_trl import SETTINGS, config_from, load_policy, rows_of, train_and_save
from tabgym_world import WorldError, most_turns, open_world, return_of


class Conversation:
    """The chat template's text around messages, computed once because a conversation is only ever extended."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        shown = [
            {"role": "user", "content": "u"},
            {"role": "assistant", "content": "REPLY"},
            {"role": "user", "content": " OBSERVATION "},
        ]
        text = tokenizer.apply_chat_template(shown, tokenize=False, add_generation_prompt=True)
        between = text.split("REPLY")[1]
        self.trims = " OBSERVATION " not in between
        self.before, self.after = between.split("OBSERVATION" if self.trims else " OBSERVATION ")

    def prompt(self, messages):
        text = self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return self.tokenizer.encode(text, add_special_tokens=False)

    def answer(self, said, observation):
        """Tokens between the end of a reply and the start of the next one."""
        words = observation.strip() if self.trims else observation
        ids = self.tokenizer.encode(self.before + words + self.after, add_special_tokens=False)
        return ids[1:] if said and said[-1] == ids[0] else ids


class Episode:
    def __init__(self, row, limit):
        self.row, self.limit = row, limit
        self.world = None
        self.prompt, self.ids, self.mask, self.logprobs = [], [], [], []
        self.turns, self.refused, self.score = 0, 0, 0.0
        self.ending = None

    async def begin(self, conversation):
        opening = self.row["opening"] if SETTINGS["instructed"] else []
        try:
            self.world = await open_world(self.row["url"])
            observation = await self.world.reset(self.row["split"], self.row["index"])
        except WorldError:
            self.ending = "world-failure"
            observation = f"The world of {self.row['item']} cannot be reached."
        self.prompt = conversation.prompt([*opening, {"role": "user", "content": observation}])

    @property
    def room(self):
        return SETTINGS["completion_tokens"] - len(self.ids)

    def said(self, ids, logprobs, eos):
        """Adds a sampled turn. Returns False if it was cut by the length limit; only a first turn is then kept for training."""
        if len(ids) > self.room or (len(ids) == self.room and ids[-1] not in eos):
            self.ending = "context"
            if self.ids:
                return False
            ids, logprobs = ids[: self.room], logprobs[: self.room]
        self.ids += ids
        self.mask += [1] * len(ids)
        self.logprobs += logprobs
        return self.ending is None

    async def act(self, conversation, said):
        reply = conversation.tokenizer.decode(said, skip_special_tokens=True)
        try:
            observation, self.score, done, valid = await self.world.step(reply)
        except WorldError:
            self.ending = "world-failure"
            return
        self.turns += 1
        self.refused += not valid
        if done:
            self.ending = "done"
        elif not valid and SETTINGS["rules"]["invalid_action"] == "end":
            self.ending = "invalid-action"
        elif self.turns >= self.limit:
            self.ending = "horizon"
        else:
            heard = conversation.answer(said, observation)
            self.ids += heard
            self.mask += [0] * len(heard)
            self.logprobs += [0.0] * len(heard)
            if self.room < 1:
                self.ending = "context"

    def finish(self):
        """The completion ends with the last sampled token."""
        end = max((i + 1 for i, sampled in enumerate(self.mask) if sampled), default=0)
        self.ids, self.mask, self.logprobs = self.ids[:end], self.mask[:end], self.logprobs[:end]

    @property
    def worth(self):
        if self.ending == "world-failure":
            return 0.0
        return return_of(self.score, self.ending, self.refused, len(self.ids), SETTINGS["rules"])


class Play:
    """TRL's `rollout_func`: prompts name rows of train.jsonl."""

    def __init__(self, rows, tokenizer):
        self.rows = rows
        self.conversation = Conversation(tokenizer)

    def __call__(self, prompts, trainer):
        return asyncio.run(self.play(prompts, trainer))

    async def play(self, prompts, trainer):
        step = trainer.state.global_step // SETTINGS["updates_per_step"] + 1
        rows = [self.rows[prompt] for prompt in prompts]
        episodes = [Episode(row, most_turns(SETTINGS["horizon"], step, row["oracle_turns"])) for row in rows]
        try:
            await asyncio.gather(*(episode.begin(self.conversation) for episode in episodes))
            while any(episode.ending is None for episode in episodes):
                await self.turn([episode for episode in episodes if episode.ending is None], trainer)
        finally:
            await asyncio.gather(*(episode.world.__aexit__() for episode in episodes if episode.world))
        self.fill(episodes, trainer)
        for episode in episodes:
            episode.finish()
        return self.output(episodes, trainer)

    def generate(self, episodes, trainer):
        longest = min(SETTINGS["turn_tokens"], max(episode.room for episode in episodes))
        trainer.generation_config.max_new_tokens = longest
        if trainer.use_vllm:
            trainer.vllm_generation.max_completion_length = longest
        asked = [episode.prompt + episode.ids for episode in episodes]
        ids, logprobs = trainer._generate_single_turn(asked, None, {}, 1)
        return ids, logprobs if logprobs is not None else [[0.0] * len(each) for each in ids]

    async def turn(self, episodes, trainer):
        replies, logprobs = self.generate(episodes, trainer)
        acting = []
        for episode, said, each in zip(episodes, replies, logprobs, strict=True):
            if episode.said(said, each, trainer.eos_token_ids):
                acting.append(episode.act(self.conversation, said))
        await asyncio.gather(*acting)

    def fill(self, episodes, trainer):
        """Samples a token for episodes whose world never answered: TRL needs a completion of at least one token."""
        silent = [episode for episode in episodes if not any(episode.mask)]
        if silent:
            for episode, said, each in zip(silent, *self.generate(silent, trainer), strict=True):
                episode.said(said, each, trainer.eos_token_ids)
                episode.ending = "world-failure"

    def output(self, episodes, trainer):
        if len({episode.ending for episode in episodes} & {"world-failure"}):
            print("A world failed: its episodes count as zero.", file=sys.stderr)
        return {
            "prompt_ids": [episode.prompt for episode in episodes],
            "completion_ids": [episode.ids for episode in episodes],
            "logprobs": [episode.logprobs for episode in episodes] if trainer.use_vllm else None,
            "env_mask": [episode.mask for episode in episodes],
            "tabgym_return": [episode.worth for episode in episodes],
            "tabgym_success": [float(e.score >= e.row["success_reward"]) for e in episodes],
        }


def episode_return(completions, tabgym_return, **_):
    """Reward function with the return that episodes are trained on."""
    return tabgym_return


def success(completions, tabgym_success, **_):
    """Reward function with weight 0, for the log."""
    return tabgym_success


def make_trainer(arguments=()):
    rows = rows_of("train.jsonl")
    policy, tokenizer, peft_config = load_policy()
    return GRPOTrainer(
        model=policy,
        processing_class=tokenizer,
        args=config_from(arguments),
        reward_funcs=[episode_return, success],
        train_dataset=Dataset.from_list([{"prompt": row["prompt"]} for row in rows]),
        rollout_func=Play({row["prompt"]: row for row in rows}, tokenizer),
        peft_config=peft_config,
    )


if __name__ == "__main__":
    train_and_save(make_trainer(sys.argv[1:]))
