"""Merges the adapter into its base model, because AgentGym-RL trains whole models: python merge.py BASE."""

import sys
from pathlib import Path

from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

here = Path(__file__).resolve().parent
base = sys.argv[1]
model = AutoModelForCausalLM.from_pretrained(base, torch_dtype="auto")
if (here / "adapter").exists():
    model = PeftModel.from_pretrained(model, here / "adapter").merge_and_unload()
model.save_pretrained(here / "model")
AutoTokenizer.from_pretrained(base).save_pretrained(here / "model")
print(f"written to {here / 'model'}")
