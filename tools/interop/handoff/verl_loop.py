"""Composes the exported configuration with verl, reads the rows with its dataset, and runs our agent loop on its own base class, with a stub of its
server manager, which returns tokens of the random model's vocabulary, and our real served world. Prints one JSON object per line.

Usage: verl_loop.py FOLDER, with the hand-off's worlds served. Parts that need a GPU (vLLM, FSDP, Ray's workers) are not run.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
from pathlib import Path

folder = Path(sys.argv[1]) / "verl"
os.environ.update(TABGYM_HANDOFF=str(folder), BASE_MODEL=str(folder.parent / "model"), PYTHONPATH=str(folder))
sys.path.insert(0, str(folder))

from hydra import compose, initialize_config_dir  # noqa: E402
from hydra.utils import instantiate  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402
from transformers import AutoTokenizer  # noqa: E402
from verl.experimental.agent_loop.agent_loop import AgentLoopOutput, DictConfigWrap  # noqa: E402
from verl.utils.dataset.rl_dataset import RLHFDataset  # noqa: E402
from verl.workers.rollout.replica import TokenOutput  # noqa: E402


def report(name, ok, **more):
    print(json.dumps({"check": name, "ok": bool(ok), **more}), flush=True)


class StubServers:
    """Returns tokens at random, sometimes an action that the world offers, and records every request."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.random = random.Random(1)
        self.requests = []

    async def generate(self, *, request_id, prompt_ids, sampling_params, **_):
        self.requests.append((request_id, list(prompt_ids)))
        words = self.random.choice(["Action: inventory", "Action: get 1 oak log", "nothing to see", "Action: inventory\nAction: inventory"])
        ids = self.tokenizer.encode(words, add_special_tokens=False)[: sampling_params["max_tokens"] - 1]
        ids = [*ids, self.tokenizer.eos_token_id]
        fields = {"global_steps": 0, "min_global_steps": 0, "max_global_steps": len(self.requests)}
        return TokenOutput(token_ids=ids, log_probs=[-0.5] * len(ids), extra_fields=fields)


def composed():
    with initialize_config_dir(str(folder), version_base=None):
        config = compose("tabgym")
    algorithm = json.loads((folder / "experiment.json").read_text())["algorithm"]
    sizes = {"actor_rollout_ref.rollout.n": algorithm["groupSize"], "data.train_batch_size": algorithm["groups"]}
    wanted = {"algorithm.adv_estimator": "grpo", **sizes}
    got = {path: OmegaConf.select(config, path) for path in wanted}
    report("verl composes the configuration", got == wanted, **got)
    return config


def printed():
    """Checks that verl's own entry point, started by the folder's script, composes and prints the configuration."""
    where = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    made = subprocess.run([str(folder / "run.sh"), "--cfg", "job"], env=where, capture_output=True, text=True, timeout=600)
    job = OmegaConf.create(made.stdout) if made.returncode == 0 else OmegaConf.create({})
    mode, loop = OmegaConf.select(job, "actor_rollout_ref.rollout.mode"), OmegaConf.select(job, "actor_rollout_ref.rollout.agent.default_agent_loop")
    failed = made.stderr.strip().splitlines()[-1:] if made.returncode else None
    report("verl's main_ppo prints the configuration (--cfg job)", (mode, loop) == ("async", "tabgym"), lines=len(made.stdout.splitlines()), failed=failed)


async def play(config, tokenizer, rows):
    stub = StubServers(tokenizer)
    entry = OmegaConf.load(folder / "agent_loop.yaml")[0]
    outputs = []
    for k, row in enumerate(rows):
        loop = instantiate(
            config=OmegaConf.create({key: value for key, value in entry.items() if key != "name"}),
            trainer_config=DictConfigWrap(config),
            server_manager=stub,
            tokenizer=tokenizer,
            processor=None,
            dataset_cls=RLHFDataset,
            data_config=DictConfigWrap(config.data),
            hf_model_type="qwen2",
        )
        outputs.append((await loop.run({"temperature": 1.0}, **row, global_steps=1 + k), 1 + k))
    return outputs, stub


def check(outputs, stub, tokenizer, horizon):
    for out, step in outputs:
        assert isinstance(out, AgentLoopOutput)
        # The lists have equal lengths and start and end with a sampled token; only sampled tokens have a
        # log-probability.
        assert len(out.response_ids) == len(out.response_mask) == len(out.response_logprobs)
        assert out.response_mask[0] == 1 and out.response_mask[-1] == 1
        assert all(logprob == (-0.5 if trained else 0.0) for logprob, trained in zip(out.response_logprobs, out.response_mask))
        limit = next((stage["turns"] for stage in horizon[:-1] if step <= stage["steps"]), horizon[-1]["turns"])
        assert (out.num_turns - 1) // 2 <= limit, (out.num_turns, limit)
        assert out.extra_fields["min_global_steps"] == 0 and out.extra_fields["max_global_steps"] > 0
        assert out.as_dict()["rm_scores"][-1].item() == out.reward_score
    text = tokenizer.decode(outputs[0][0].prompt_ids)
    assert "Goal: craft" in text and text.rstrip().endswith("assistant"), text[-200:]
    # Each prompt continues the one before with the same tokens; nothing is encoded again.
    by_request = {}
    for request, ids in stub.requests:
        assert ids[: len(by_request.get(request, []))] == by_request.get(request, []), "a conversation was encoded again"
        by_request[request] = ids


def main():
    config = composed()
    printed()
    tokenizer = AutoTokenizer.from_pretrained(folder.parent / "model")
    dataset = RLHFDataset(str(folder / "train.jsonl"), tokenizer, config.data)
    rows = [dataset[i] for i in range(6)]
    report("verl's dataset reads the rows", len(dataset) == 20 and rows[0]["raw_prompt"][0]["role"] == "user", rows=len(dataset))
    outputs, stub = asyncio.run(play(config, tokenizer, rows))
    horizon = OmegaConf.to_container(OmegaConf.load(folder / "agent_loop.yaml")[0]["horizon"])
    try:
        check(outputs, stub, tokenizer, horizon)
        failed = None
    except AssertionError as error:
        failed = repr(error)
    infos = [out.extra_fields["reward_extra_info"] for out, _ in outputs]
    report("verl's agent loop plays our served world", failed is None, failed=failed, turns=[each["turns"] for each in infos], worth=[out.reward_score for out, _ in outputs])


main()
