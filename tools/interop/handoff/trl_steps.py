"""Runs steps of the exported TRL script. With a learning rate of 0 the policy must keep the log-probabilities it was exported with.
Prints one JSON object per line.

Usage: trl_steps.py FOLDER STEPS, with the hand-off's worlds served.
"""

import json
import sys
from pathlib import Path

import torch

folder, steps = Path(sys.argv[1]), int(sys.argv[2])
sys.path.insert(0, str(folder / "trl"))
import train  # noqa: E402

expected = json.loads((folder / "expected.json").read_text())


def largest_gap(trainer):
    """Largest difference between the trainer's and our log-probabilities of the run's sampled tokens."""
    model = trainer.model.eval()
    largest = 0.0
    for sequence, ours in zip(expected["sequences"]["run"], expected["scores"]["run"], strict=True):
        tokens = torch.tensor([sequence["tokens"]])
        with torch.no_grad():
            logps, *_ = trainer._get_per_token_logps_and_entropies(model, tokens, torch.ones_like(tokens), tokens.shape[1] - 1)
        theirs = logps[0].double().tolist()
        largest = max([largest, *(abs(theirs[t - 1] - own) for t, own in zip(sequence["scored"], ours, strict=True))])
    return largest


def run(rate, count):
    # A random model earns no reward, so only a bonus for entropy moves it.
    arguments = [f"max_steps={count}", "save_strategy=no", "gradient_checkpointing=false", "entropy_coef=0.01"]
    trainer = train.make_trainer(arguments if rate is None else [*arguments, f"learning_rate={rate}"])
    before = {name: value.detach().clone() for name, value in trainer.model.named_parameters() if value.requires_grad}
    trainer.train()
    moved = max(float((value.detach() - before[name]).abs().max()) for name, value in trainer.model.named_parameters() if name in before)
    return trainer, moved


still, moved = run(0, 1)
gap = largest_gap(still)
print(json.dumps({"check": "TRL, learning rate 0: log-probabilities as exported", "ok": gap <= 1e-4 and moved == 0, "largest": gap, "limit": 1e-4}), flush=True)
trainer, moved = run(None, steps)
losses = [entry for entry in trainer.state.log_history if "reward" in entry]
print(json.dumps({"check": f"TRL takes {steps} steps over our socket", "ok": trainer.state.global_step == steps and moved > 0, "moved": moved, "rewards": [round(float(e["reward"]), 3) for e in losses]}), flush=True)
