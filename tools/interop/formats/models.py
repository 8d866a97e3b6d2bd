"""Reads a model's folder as transformers does: logits of fixed tokens, and the text of a conversation."""
import json
import os

os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
import torch
import transformers
from jsonlines import answers
from transformers import AutoModelForCausalLM, AutoTokenizer

transformers.utils.logging.disable_progress_bar()
torch.set_num_threads(1)
tokens = torch.tensor([[5, 17, 3, 40, 290, 8, 120, 33, 5, 64, 250, 9]])
messages = [
    {"role": "user", "content": "x"},
    {"role": "assistant", "content": "y"},
    {"role": "user", "content": "z"},
]


def read(folder):
    model, info = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
    if info["missing_keys"]:
        # transformers fills them with random numbers and goes on.
        raise ValueError(f"missing {sorted(info['missing_keys'])[:4]}")
    with torch.no_grad():
        logits = model(tokens).logits[0, -3:]
    tokenizer = AutoTokenizer.from_pretrained(folder)
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    return {"logits": logits.flatten().tolist(), "text": text}


answers(read)
