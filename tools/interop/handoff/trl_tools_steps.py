"""Runs steps of the exported TRL script with tools, with a random model in Qwen2.5's chat template. Prints one JSON object per line.

Usage: trl_tools_steps.py FOLDER STEPS, with the hand-off's worlds served. A whole call is one token, so that a random
model makes calls; other words are unknown to it.
"""

import inspect
import json
import os
import sys
import tempfile
from pathlib import Path

import torch
import trl
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM, set_seed
from transformers.utils import get_json_schema

folder, steps = Path(sys.argv[1]) / "trl-tools", int(sys.argv[2])
sys.path.insert(0, str(folder))
import environment  # noqa: E402

(name, World), = environment.worlds.items()
listed = {tool["function"]["name"]: tool["function"] for tool in json.loads((folder / "tools.json").read_text())}


def plain(schema):
    """The parts of a schema that the model's prompt depends on."""
    properties = schema["parameters"].get("properties", {})
    kinds = {key: sorted([each["type"]] if isinstance(each["type"], str) else each["type"]) for key, each in properties.items()}
    return schema["description"], kinds, sorted(schema["parameters"].get("required", []))


methods = {key: method for key, method in inspect.getmembers(World, inspect.isfunction) if not key.startswith("_")}
schemas = {key: get_json_schema(method)["function"] for key, method in methods.items() if key not in ("reset", "get_reward")}
different = [key for key in {*schemas, *listed} if key not in schemas or key not in listed or plain(schemas[key]) != plain(listed[key])]
print(json.dumps({"check": "transformers reads the tools' schemas from the methods", "ok": not different, "tools": len(schemas), "different": different}), flush=True)

# Whole calls that need no argument, or a single text.
calls = []
for key, tool in listed.items():
    required = tool["parameters"].get("required", [])
    for given in [{}] if not required else [{required[0]: text} for text in ("done", "impossible", "1")] if len(required) == 1 else []:
        calls.append(f"<tool_call>\n{json.dumps({'name': key, 'arguments': given})}\n</tool_call>")
special = ["<unk>", "<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def made():
    whole = Tokenizer(models.WordLevel({text: k for k, text in enumerate([*special, "user", "assistant", "system"])}, unk_token="<unk>"))
    whole.pre_tokenizer = pre_tokenizers.Whitespace()
    whole.add_special_tokens(special)
    whole.add_tokens([AddedToken(call, normalized=False) for call in calls])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=whole, pad_token="<|endoftext|>", eos_token="<|im_end|>", unk_token="<unk>")
    tokenizer.chat_template = (Path(trl.__file__).parent / "chat_templates/qwen2_5.jinja").read_text()
    config = Qwen2Config(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=8192, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, bos_token_id=None,
    )
    out = tempfile.mkdtemp()
    Qwen2ForCausalLM(config).save_pretrained(out)
    tokenizer.save_pretrained(out)
    return out


set_seed(1)
os.environ["BASE_MODEL"] = made()
import train  # noqa: E402

arguments = [f"max_steps={steps}", "save_strategy=no", "gradient_checkpointing=false", "learning_rate=0.01", "report_to=none"]
trainer = train.make_trainer(arguments)
before = {key: value.detach().clone() for key, value in trainer.model.named_parameters() if value.requires_grad}
trainer.train()
moved = max(float((value.detach() - before[key]).abs().max()) for key, value in trainer.model.named_parameters() if key in before)
log = [entry for entry in trainer.state.log_history if "reward" in entry]
calling = [round(float(entry["tools/call_frequency"]), 2) for entry in log]
ok = trainer.state.global_step == steps and max(calling) > 0 and moved > 0
print(json.dumps({"check": f"TRL takes {steps} steps with environment_factory", "ok": ok, "moved": moved, "calls": calling, "rewards": [round(float(e["reward"]), 3) for e in log], "failures": [round(float(e["tools/failure_frequency"]), 2) for e in log]}), flush=True)
