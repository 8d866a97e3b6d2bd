"""Reads an adapter's folder as PEFT does: the change of each projection of the model in ../base, and of the rest."""
import copy
import os
import re
import warnings

os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
import torch
import transformers
from jsonlines import answers
from peft import PeftModel
from transformers import AutoModelForCausalLM

transformers.utils.logging.disable_progress_bar()
torch.set_num_threads(1)
bases = {}


def base_of(folder):
    path = os.path.join(os.path.dirname(folder), "base")
    if path not in bases:
        bases[path] = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    return bases[path]


def read(folder):
    base = base_of(folder)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        adapted = PeftModel.from_pretrained(copy.deepcopy(base), folder)
    missing = [str(w.message) for w in found if "missing adapter keys" in str(w.message)]
    if missing:
        # PEFT leaves them at random numbers and goes on.
        raise ValueError(missing[0][:200])
    merged = adapted.merge_and_unload().state_dict()
    values = {"others": "unchanged"}
    for name, before in base.state_dict().items():
        change = merged[name] - before if name in merged and merged[name].shape == before.shape else None
        if re.search(r"\.\w+_proj\.weight$", name):
            values[name.removesuffix(".weight")] = change.flatten().tolist()
        elif change is None or torch.any(change != 0):
            values["others"] = f"{name} changes"
    return values


answers(read)
