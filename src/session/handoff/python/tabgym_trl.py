"""Parts that the training scripts for TRL 1.16 share: settings, the policy with its adapter, and the trainer's configuration."""

import json
import os
import shutil
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig

HERE = Path(__file__).resolve().parent
SETTINGS = json.loads((HERE / "tabgym.json").read_text())


def load_policy():
    """The model, with the adapter that is trained, and its tokenizer."""
    model = os.environ.get("BASE_MODEL", SETTINGS["model"])
    path = HERE / "model" if model == "model" else model
    dtype = torch.bfloat16 if torch.cuda.is_available() else torch.float32
    policy = AutoModelForCausalLM.from_pretrained(path, dtype=dtype)
    tokenizer = AutoTokenizer.from_pretrained(path)
    if SETTINGS["lora"] is None:
        return policy, tokenizer, None
    from peft import LoraConfig, PeftModel

    if (HERE / "adapter").exists():
        return PeftModel.from_pretrained(policy, HERE / "adapter", is_trainable=True), tokenizer, None
    return policy, tokenizer, LoraConfig(task_type="CAUSAL_LM", **SETTINGS["lora"])


def config_from(arguments):
    """Settings of the run, overridden by the command line."""
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    fields = dict(SETTINGS["config"])
    if fields["gradient_accumulation_steps"] % processes:
        raise SystemExit(f"{fields['gradient_accumulation_steps']} groups a minibatch do not divide by {processes} GPUs.")
    for field in ("gradient_accumulation_steps", "steps_per_generation"):
        fields[field] //= processes
    on_gpu = torch.cuda.is_available()
    fields.update(bf16=on_gpu, use_cpu=not on_gpu, output_dir=str(HERE / "checkpoints"))
    for argument in arguments:
        name, value = argument.split("=", 1)
        try:
            fields[name] = json.loads(value)
        except json.JSONDecodeError:
            fields[name] = value
    return GRPOConfig(**fields)


def rows_of(name):
    return [json.loads(line) for line in (HERE / name).read_text().splitlines()]


def train_and_save(trainer):
    """Trains, and writes the folder that `npm run train -- --from` reads."""
    trainer.train()
    trainer.save_model(str(HERE / "trained"))
    trainer.processing_class.save_pretrained(str(HERE / "trained"))
    for name in ("handoff.json", "experiment.json"):
        shutil.copy(HERE / name, HERE / "trained" / name)
