"""GRPO by TRL 1.16 in Tabgym's worlds of tools: the model calls the methods of environment.py. `./serve.sh` serves the worlds.

Usage: python train.py [FIELD=VALUE ...], each a field of GRPOConfig, as max_steps=10 or use_vllm=true.
"""

import sys

from datasets import Dataset
from trl import GRPOTrainer

from environment import worlds
from tabgym_tools import success
from tabgym_trl import config_from, load_policy, rows_of, train_and_save


def make_trainer(arguments=()):
    policy, tokenizer, peft_config = load_policy()
    return GRPOTrainer(
        model=policy,
        processing_class=tokenizer,
        args=config_from(arguments),
        reward_funcs=[success],
        train_dataset=Dataset.from_list(rows_of("train.jsonl")),
        environment_factory=worlds,
        peft_config=peft_config,
    )


if __name__ == "__main__":
    train_and_save(make_trainer(sys.argv[1:]))
