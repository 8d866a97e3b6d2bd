"""Decoding and a LoRA update of Qwen2.5-0.5B's shape in PyTorch with PEFT, with random weights, on CUDA or, without it, on
the processor. bench/gpu.ts prints the times beside the engine's.

Arguments: model config as JSON, rank, alpha, number of tokens to decode, sequences of an update, numbers of rows to decode as
JSON. Prints JSON: the device, and name and milliseconds of each measurement. A sequence of an update has 256 tokens, whose second
half is scored, as in bench/quantized.ts.
"""

import json
import sys
import time

import torch
import transformers
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Qwen2Config

config, rank, alpha, tokens = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
rows, decoded = int(sys.argv[5]), json.loads(sys.argv[6])
targets = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
length = 256
has_cuda = torch.cuda.is_available()
device = "cuda" if has_cuda else "cpu"


def synchronize():
    if has_cuda:
        torch.cuda.synchronize()


def median_ms(work, times=5):
    """Median milliseconds after one warm-up."""
    work()
    measured = []
    for _ in range(times):
        synchronize()
        start = time.perf_counter()
        work()
        synchronize()
        measured.append(1000 * (time.perf_counter() - start))
    return sorted(measured)[times // 2]


def model_of(dtype):
    # Made on a GPU: random weights take minutes on the processor.
    with torch.device(device):
        model = AutoModelForCausalLM.from_config(Qwen2Config(**config), attn_implementation="sdpa").to(dtype)
    return get_peft_model(model, LoraConfig(r=rank, lora_alpha=alpha, target_modules=targets))


def update_of(model):
    ids = (torch.arange(rows * length, device=device) * 7919 % config["vocab_size"]).reshape(rows, length)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-5, weight_decay=0.0)

    def work():
        optimizer.zero_grad(set_to_none=True)
        hidden = model.base_model.model.model(input_ids=ids).last_hidden_state[:, length // 2 - 1 : -1]
        logits = model.base_model.model.lm_head(hidden).float()
        picked = logits.log_softmax(-1).gather(-1, ids[:, length // 2 :, None])
        (-1e-3 * picked.sum()).backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()

    return work


def decode_of(model, count):
    prompt = (torch.arange(32, device=device) + 1).repeat(count, 1)

    @torch.no_grad()
    def work():
        model.generate(input_ids=prompt, max_new_tokens=tokens, min_new_tokens=tokens, do_sample=True, pad_token_id=0)

    return work


results = []
tf32s = [("tf32", torch.float32, True)] if has_cuda else []
for name, dtype, tf32 in [("f32", torch.float32, False), *tf32s, ("bf16", torch.bfloat16, False)]:
    torch.backends.cuda.matmul.allow_tf32 = tf32
    model = model_of(dtype)
    results.append({"name": f"update, {rows * length} tokens, {name}", "ms": median_ms(update_of(model))})
    if name != "tf32":
        for count in decoded:
            results.append({"name": f"decode {tokens} tokens, {count} rows, {name}", "ms": median_ms(decode_of(model, count), 3)})
    del model
    if has_cuda:
        torch.cuda.empty_cache()
versions = {"torch": torch.__version__, "transformers": transformers.__version__}
adapter = torch.cuda.get_device_name() if has_cuda else "the processor"
print(json.dumps({"adapter": adapter, "versions": versions, "rows": results}))
