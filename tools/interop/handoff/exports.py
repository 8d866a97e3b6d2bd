"""Loads our exports with transformers, PEFT and onnxruntime, and trains an adapter with PEFT for our engine to read. Prints one JSON object per line.

Usage: exports.py FOLDER
"""

import json
import sys
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer

folder = Path(sys.argv[1])
expected = json.loads((folder / "expected.json").read_text())
LIMIT = 1e-4


def report(name, error, **more):
    print(json.dumps({"check": name, "ok": bool(error <= LIMIT), "largest": float(error), "limit": LIMIT, **more}), flush=True)


def logprobs(logits_of, sequences):
    out = []
    for sequence in sequences:
        tokens = torch.tensor([sequence["tokens"]])
        with torch.no_grad():
            scores = torch.log_softmax(logits_of(tokens)[0].double(), -1)
        places = sequence.get("scored") or list(range(1, len(sequence["tokens"])))
        out.append([float(scores[t - 1, sequence["tokens"][t]]) for t in places])
    return out


def largest(ours, theirs):
    return max(abs(a - b) for one, other in zip(ours, theirs, strict=True) for a, b in zip(one, other, strict=True))


def compare(name, model, key, sequences):
    got = logprobs(lambda tokens: model(tokens).logits, expected["sequences"][sequences])
    report(name, largest(expected["scores"][key], got), tokens=sum(map(len, got)))


def tiny():
    path = folder / "tiny-hf"
    model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
    compare("transformers, tiny policy", model, "tiny", "tiny")
    return model


def onnx(torch_model):
    import numpy as np
    import onnxruntime

    session = onnxruntime.InferenceSession(str(folder / "tiny-onnx/onnx/model.onnx"), providers=["CPUExecutionProvider"])
    config = json.loads((folder / "tiny-onnx/config.json").read_text())
    heads, kv = config["num_attention_heads"], config["num_key_value_heads"]
    size = config.get("head_dim") or config["hidden_size"] // heads

    def logits(tokens):
        length = tokens.shape[1]
        given = {"input_ids": tokens.numpy(), "attention_mask": np.ones((1, length), dtype=np.int64)}
        given["position_ids"] = np.arange(length, dtype=np.int64)[None]
        for each in session.get_inputs():
            if each.name.startswith("past_key_values"):
                given[each.name] = np.zeros((1, kv, 0, size), dtype=np.float32)
        wanted = {each.name for each in session.get_inputs()}
        return torch.tensor(session.run(["logits"], {k: v for k, v in given.items() if k in wanted})[0])

    got = logprobs(logits, expected["sequences"]["tiny"])
    report("onnxruntime for Python, tiny policy", largest(expected["scores"]["tiny"], got), tokens=sum(map(len, got)))
    first = torch.tensor([expected["sequences"]["tiny"][0]["tokens"]])
    with torch.no_grad():
        report("onnxruntime and transformers, logits", float((logits(first) - torch_model(first).logits).abs().max()))


def adapter():
    base = AutoModelForCausalLM.from_pretrained(folder / "model", dtype=torch.float32).eval()
    compare("transformers, made Qwen2.5 shape", base, "made", "made")
    model = PeftModel.from_pretrained(base, folder / "trl/adapter").eval()
    compare("PEFT, our adapter", model, "adapted", "made")
    compare("PEFT, tokens that were sampled in the run", model, "run", "run")


def trained():
    """Trains an adapter briefly with PEFT and saves it; our engine reads it next."""
    torch.manual_seed(0)
    base = AutoModelForCausalLM.from_pretrained(folder / "model", dtype=torch.float32)
    targets = ["q_proj", "v_proj", "o_proj", "down_proj"]
    model = get_peft_model(base, LoraConfig(task_type="CAUSAL_LM", r=4, lora_alpha=12, target_modules=targets))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.01)
    tokens = torch.tensor([each["tokens"] for each in expected["sequences"]["made"]])
    for _ in range(10):
        loss = model(tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    model.save_pretrained(folder / "peft-trained")
    got = logprobs(lambda each: model(each).logits, expected["sequences"]["made"])
    (folder / "peft-trained.json").write_text(json.dumps(got))


def template():
    """Checks that the exported tokenizer encodes a tiny policy's conversation as our engine does."""
    path = folder / "tiny-hf"
    tokenizer = AutoTokenizer.from_pretrained(path)
    ids = tokenizer.encode(expected["conversation"]["text"], add_special_tokens=False)
    report("tokenizer of a tiny policy in transformers", 0.0 if ids == expected["conversation"]["ids"] else 1.0, tokens=len(ids))


onnx(tiny())
adapter()
template()
trained()
