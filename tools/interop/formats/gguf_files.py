"""Reads a GGUF file with the package gguf: settings and their defaults as in llama.cpp, tokens, and all tensors."""
import hashlib
import math
import os
import re

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize
from jsonlines import answers

PARTS = {
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj", "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
    "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}
OUTER = {
    "token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
RULES = {
    "qwen2": "qwen2", "deepseek-r1-qwen": "qwen2", "llama-bpe": "llama-bpe", "llama3": "llama-bpe",
    "llama-v3": "llama-bpe", "smollm": "smollm", "gpt-2": "gpt-2",
}
# Keys that llama.cpp reads into the arithmetic of these architectures, with the values that leave it unchanged.
NEUTRAL = {
    "attention.scale": [0], "attention.causal": [True], "attention.sliding_window": [0], "attention.clamp_kqv": [0],
    "rope.scaling.attn_factor": [1], "rope.scaling.yarn_ext_factor": [0], "logit_scale": [0, 1],
    "embedding_scale": [0, 1], "residual_scale": [0, 1], "final_logit_softcapping": [0], "expert_count": [0],
}


def sha(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def hugging_face_name(name):
    match = re.fullmatch(r"blk\.(\d+)\.(\w+)\.(weight|bias)", name)
    if match and match[2] in PARTS:
        return f"model.layers.{match[1]}.{PARTS[match[2]]}.{match[3]}"
    return OUTER.get(name, name)


class Keys:
    def __init__(self, reader):
        self.fields = {name: field.contents() for name, field in reader.fields.items()}
        self.arch = self.fields["general.architecture"]

    def number(self, key, fallback=None):
        value = self.fields.get(f"{self.arch}.{key}", fallback)
        if isinstance(value, list):
            if len(set(value)) != 1:
                raise ValueError(f"{key} differs between layers")
            value = value[0]
        if isinstance(value, str) or value is None or not math.isfinite(value):
            raise ValueError(f"{key} is {value}")
        return value


def settings(keys):
    number = keys.number
    heads = number("attention.head_count")
    head_dim = number("attention.key_length", number("embedding_length") // heads)
    scaling = keys.fields.get(f"{keys.arch}.rope.scaling.type", "linear")
    if scaling not in ("none", "linear"):
        raise ValueError(f"scaling {scaling}")
    factor = number("rope.scaling.factor", number("rope.scale_linear", 0)) or 1
    ids = [keys.fields.get(f"tokenizer.ggml.{name}_token_id") for name in ("bos", "eos", "eot", "eom")]
    ends = list(dict.fromkeys(id for id in ids[1:] if id is not None))
    extras = [
        key for key, values in NEUTRAL.items()
        if (value := keys.fields.get(f"{keys.arch}.{key}")) is not None and value not in values
        and not (key == "attention.scale" and value == np.float32(1 / math.sqrt(head_dim)))
    ]
    extras += [
        key for key in ("attention.value_length", "rope.dimension_count")
        if keys.fields.get(f"{keys.arch}.{key}", head_dim) != head_dim
    ]
    return {
        "type": keys.arch,
        "sizes": [
            number("block_count"), number("embedding_length"), number("feed_forward_length"), heads,
            number("attention.head_count_kv", heads), head_dim, number("attention.layer_norm_rms_epsilon"),
            number("rope.freq_base", 10000), 1 if scaling == "none" else factor, number("context_length"),
            -1 if ids[0] is None else ids[0], *ends,
        ],
        **({"changes the arithmetic": ", ".join(extras)} if extras else {}),
    }


def texts(fields):
    if fields.get("tokenizer.ggml.model") != "gpt2":
        raise ValueError("tokenizer")
    if fields.get("tokenizer.ggml.add_space_prefix"):
        raise ValueError("a space before texts")
    tokens = fields["tokenizer.ggml.tokens"]
    types = fields.get("tokenizer.ggml.token_type", [1] * len(tokens))
    kinds = {3: "special", 4: "added"}
    lines = [f"{id} {token} {kinds.get(types[id], 'normal')}" for id, token in enumerate(tokens) if types[id] != 5]
    return {
        "tokens": sha("\n".join(lines)),
        "merges": sha("\n".join(fields["tokenizer.ggml.merges"])),
        "rule": RULES[fields["tokenizer.ggml.pre"]],
        "template": fields.get("tokenizer.chat_template"),
    }


def values(tensor, name, arch, head_dim):
    x = dequantize(tensor.data, tensor.tensor_type).astype(np.float32, copy=True)
    shape = [int(size) for size in reversed(tensor.shape)]
    x = x.reshape(shape)
    if arch == "llama" and re.search(r"self_attn\.[qk]_proj\.weight$", name):
        x = x.reshape(-1, head_dim // 2, 2, shape[1]).swapaxes(1, 2).reshape(shape)
    x[np.isnan(x)] = np.nan
    return ",".join(map(str, shape)) + " " + sha(np.ascontiguousarray(x).tobytes())


def read(folder):
    reader = GGUFReader(os.path.join(folder, "model.gguf"))
    keys = Keys(reader)
    answer = settings(keys)
    answer.update(texts(keys.fields))
    if keys.fields.get("split.count", 0) > 1:
        raise ValueError("a part")
    for tensor in reader.tensors:
        name = hugging_face_name(tensor.name)
        answer[name] = values(tensor, name, keys.arch, answer["sizes"][5])
    return answer


answers(read)
