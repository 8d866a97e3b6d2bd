"""The small transformer's training step in PyTorch, on the processor. bench/compare-torch.ts compares the engine with it.

Reads a job as JSON from the given file: sizes, optimiser, threads, token ids, and the offset of each weight in a file of f32.
Prints JSON: milliseconds, loss and gradient norm of each step, and the rate of a 512 x 512 x 512 product.
"""

import json
import sys
import time

import torch
import torch.nn.functional as F

job = json.load(open(sys.argv[1]))
config, sizes, settings = job["config"], job["sizes"], job["optimizer"]
torch.set_num_threads(job["threads"])
raw = torch.frombuffer(bytearray(open(job["weights"], "rb").read()), dtype=torch.float32)
p = {
    name: raw[at : at + length].reshape(shape).clone().requires_grad_()
    for name, (at, length, shape) in job["tensors"].items()
}
ids = torch.tensor(job["ids"]).reshape(sizes["rows"], sizes["length"])
H, KV, D = config["numHeads"], config["numKvHeads"], config["headDim"]
B, S = ids.shape
angles = torch.arange(S)[:, None] / config["ropeTheta"] ** (torch.arange(0, D, 2) / D)[None]
cos, sin = angles.cos()[:, None], angles.sin()[:, None]
above = torch.full((S, S), float("-inf")).triu(1)


def rmsnorm(x, gain):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + config["rmsNormEps"]) * gain


def rotate(x):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def attention(x, at):
    def heads(name, count):
        return F.linear(x, p[f"{at}.{name}_proj.weight"]).reshape(B, S, count, D)

    def turned(name, count):
        h = heads(name, count)
        if config["qkNorm"]:
            h = rmsnorm(h, p[f"{at}.{name}_norm.weight"])
        return rotate(h).transpose(1, 2)

    q, k, v = turned("q", H), turned("k", KV), heads("v", KV).transpose(1, 2)
    k, v = (t.repeat_interleave(H // KV, 1) for t in (k, v))
    weights = (q @ k.transpose(-1, -2) / D**0.5 + above).softmax(-1)
    return F.linear((weights @ v).transpose(1, 2).reshape(B, S, H * D), p[f"{at}.o_proj.weight"])


def mlp(x, at):
    gate, up = F.linear(x, p[f"{at}.gate_proj.weight"]), F.linear(x, p[f"{at}.up_proj.weight"])
    return F.linear(F.silu(gate) * up, p[f"{at}.down_proj.weight"])


def loss():
    x = F.embedding(ids, p["model.embed_tokens.weight"])
    for layer in range(config["numLayers"]):
        at = f"model.layers.{layer}"
        x = x + attention(rmsnorm(x, p[f"{at}.input_layernorm.weight"]), f"{at}.self_attn")
        x = x + mlp(rmsnorm(x, p[f"{at}.post_attention_layernorm.weight"]), f"{at}.mlp")
    head = p["model.embed_tokens.weight" if config["tieWordEmbeddings"] else "lm_head.weight"]
    logits = F.linear(rmsnorm(x, p["model.norm.weight"])[:, :-1], head)
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), ids[:, 1:].reshape(-1))


optimizer = torch.optim.AdamW(
    p.values(),
    lr=settings["learningRate"],
    betas=(settings["beta1"], settings["beta2"]),
    eps=settings["epsilon"],
    weight_decay=settings["weightDecay"],
)
steps = []
for _ in range(job["steps"]):
    start = time.perf_counter()
    optimizer.zero_grad(set_to_none=True)
    value = loss()
    value.backward()
    norm = torch.nn.utils.clip_grad_norm_(p.values(), settings["maxGradNorm"])
    optimizer.step()
    steps.append({"ms": 1000 * (time.perf_counter() - start), "loss": value.item(), "gradNorm": norm.item()})

a, b = torch.rand(512, 512), torch.rand(512, 512)
times = []
for _ in range(15):
    start = time.perf_counter()
    a @ b
    times.append(time.perf_counter() - start)
print(json.dumps({"version": torch.__version__, "steps": steps, "gflops": 2 * 512**3 / min(times) / 1e9}))
