"""Trains a random model by TRL's GRPOTrainer in a served typed world, over OpenEnv's own client. Prints one JSON object per check.

Usage: trl.py ADDRESS STEPS. A listed action is one token, so that a random model meets rewards.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

# The folder of this file has a module openenv of its own.
sys.path = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).parent.resolve()]
import torch  # noqa: E402
from datasets import Dataset  # noqa: E402
from openenv import GenericEnvClient  # noqa: E402
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402

address, steps = sys.argv[1], int(sys.argv[2])
tasks, turns, members = 32, 4, 8
special = ["<pad>", "<eos>", "<unk>"]


async def play(index, choose):
    """One episode; `choose` takes the texts so far and the listed actions. Returns its last reward and its client's number of steps."""
    async with GenericEnvClient(base_url=address) as env:
        result = await env.reset(split="train", index=index)
        actions = result.observation["valid_actions"]
        for _ in range(turns):
            if result.done:
                break
            result = await env.step({"message": choose(result.observation["text"], actions)})
            actions = result.observation.get("valid_actions") or actions
        return float(result.reward or 0), (await env.state())["step_count"]


async def seen():
    """Words of the texts, and actions, of a few episodes."""
    words, actions = set(), set()
    for index in range(tasks):

        def choose(text, listed, index=index):
            words.update(word for word, _ in pre_tokenizers.Whitespace().pre_tokenize_str(text))
            actions.update(listed)
            return listed[index % len(listed)]

        await play(index, choose)
    return sorted(words), sorted(actions)


def made(words, actions):
    """A tokenizer of these words, with each action as one token, and a random Llama of two layers."""
    vocabulary = {word: k for k, word in enumerate([*special, *words])}
    plain = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    plain.add_tokens([AddedToken(action, normalized=False) for action in actions])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return tokenizer, LlamaForCausalLM(config)


class Rollout:
    """TRL's `rollout_func`: a prompt is the number of a task."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.taken = 0

    def __call__(self, prompts, trainer):
        return asyncio.run(self.all(prompts, trainer.model))

    async def all(self, prompts, model):
        episodes = [await self.one(int(prompt), model) for prompt in prompts]
        names = ("prompt_ids", "completion_ids", "env_mask", "world_reward")
        return {**{name: [each[k] for each in episodes] for k, name in enumerate(names)}, "logprobs": None}

    async def one(self, index, model):
        prompt, completion, mask = [], [], []

        def choose(text, listed):
            ids = self.tokenizer(text, add_special_tokens=False)["input_ids"]
            if prompt:
                completion.extend(ids)
                mask.extend([0] * len(ids))
            else:
                prompt.extend(ids)
            with torch.no_grad():
                logits = model(torch.tensor([prompt + completion])).logits[0, -1]
            token = int(torch.multinomial(torch.softmax(logits.float(), -1), 1))
            completion.append(token)
            mask.append(1)
            return self.tokenizer.decode([token])

        reward, count = await play(index, choose)
        self.taken += count
        return prompt, completion, mask, reward


def world_reward(completions, world_reward, **_):
    return world_reward


def main():
    set_seed(1)
    tokenizer, model = made(*asyncio.run(seen()))
    rollout = Rollout(tokenizer)
    config = GRPOConfig(
        output_dir=tempfile.mkdtemp(),
        max_steps=steps,
        per_device_train_batch_size=4 * members,
        num_generations=members,
        learning_rate=1e-3,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        save_strategy="no",
        report_to=[],
        logging_steps=1,
    )
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        args=config,
        reward_funcs=world_reward,
        train_dataset=Dataset.from_list([{"prompt": str(index)} for index in range(tasks)]),
        rollout_func=rollout,
    )
    before = [value.detach().clone() for value in trainer.model.parameters()]
    trainer.train()
    moved = max(float((now - old).abs().max()) for now, old in zip(trainer.model.parameters(), before, strict=True))
    rewards = [round(float(entry["reward"]), 3) for entry in trainer.state.log_history if "reward" in entry]
    ok = trainer.state.global_step == steps and moved > 0 and rollout.taken > 0 and max(rewards) > 0
    print(json.dumps({"check": f"TRL's GRPOTrainer takes {steps} steps at {address}", "ok": ok, "actions": rollout.taken, "rewards": rewards, "moved": moved}))
    return 0 if ok else 1


sys.exit(main())
