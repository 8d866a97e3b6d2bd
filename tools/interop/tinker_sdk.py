"""Trains our served policies with Tinker's SDK (0.38.0). Prints one JSON object per check.

Usage: tinker_sdk.py ADDRESS STEPS. The server trains a tiny policy and the adapter of a small random model. The tiny policy is rewarded for tokens
below 128, the adapter imitates one sequence.
"""

import json
import sys
import warnings

import tinker
from tinker import types

warnings.simplefilter("ignore", FutureWarning)
address, steps = sys.argv[1], int(sys.argv[2])
failed = False
service = tinker.ServiceClient(base_url=address, api_key="tml-any")


def report(name, ok, **more):
    global failed
    failed = failed or not ok
    print(json.dumps({"check": name, "ok": bool(ok), **more}), flush=True)


def datum(tokens, first, **columns):
    """Tokens whose targets count from position `first` on."""
    head = [0] * (first - 1)
    inputs = {"target_tokens": head + tokens[first:], **{name: head + values for name, values in columns.items()}}
    return types.Datum(model_input=types.ModelInput.from_ints(tokens[:-1]), loss_fn_inputs=inputs)


def share_low(tokens):
    return sum(token < 128 for token in tokens) / len(tokens)


def reinforce(model):
    """REINFORCE with the mean as baseline; the mean reward of each step."""
    client = service.create_lora_training_client(base_model=model, rank=0).result()
    prompt = [1, 2, 10, 11, 12, 3]
    params = types.SamplingParams(max_tokens=8, stop=[])
    curve = []
    for _ in range(steps):
        sampler = client.save_weights_and_get_sampling_client().result()
        found = sampler.sample(prompt=types.ModelInput.from_ints(prompt), num_samples=32, sampling_params=params).result().sequences
        rewards = [share_low(each.tokens) for each in found]
        curve.append(sum(rewards) / len(rewards))
        data = [
            datum(prompt + each.tokens, len(prompt), logprobs=each.logprobs, advantages=[reward - curve[-1]] * len(each.tokens))
            for each, reward in zip(found, rewards)
        ]
        client.forward_backward(data, loss_fn="importance_sampling")
        client.optim_step(types.AdamParams(learning_rate=3e-3)).result()
    return curve


def refusal(model, **lora):
    try:
        service.create_lora_training_client(base_model=model, **lora).result()
    except tinker.BadRequestError as error:
        return str(error)
    return ""


def imitate(model, rank):
    """The losses of five steps on one sequence, then that of the saved state after it is loaded."""
    client = service.create_lora_training_client(base_model=model, rank=rank, train_unembed=False).result()
    info = client.get_info()
    report("get_info names the adapter's rank", info.is_lora and info.lora_rank == rank)
    data = [datum(list(range(20, 36)), 1, weights=[1.0] * 15)]
    losses = []
    for _ in range(5):
        losses.append(client.forward_backward(data, loss_fn="cross_entropy").result().metrics["loss:sum"])
        client.optim_step(types.AdamParams(learning_rate=1e-2)).result()
    path = client.save_state("imitated", overwrite=True).result().path
    loaded = service.create_training_client_from_state_with_optimizer(path).result()
    both = [each.forward(data, loss_fn="cross_entropy").result().metrics["loss:sum"] for each in (client, loaded)]
    return losses, both


names = [each.model_name for each in service.get_server_capabilities().supported_models]
tiny, adapted = names
curve = reinforce(tiny)
report("a tiny policy is rewarded", curve[-1] > curve[0] + 0.3, curve=[round(each, 3) for each in curve])
report("another rank is refused", "only 4" in refusal(adapted, rank=32, train_unembed=False))
report("the vocabulary's table is refused", "train_unembed" in refusal(adapted, rank=4))
losses, both = imitate(adapted, 4)
report("each step of an adapter lowers the loss", all(after < before for before, after in zip(losses, losses[1:])), losses=[round(each, 3) for each in losses])
report("its saved state has the same loss", both[0] == both[1], losses=both)
sys.exit(1 if failed else 0)
