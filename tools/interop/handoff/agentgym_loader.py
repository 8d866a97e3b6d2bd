"""Composes AgentGym-RL's own configuration with ours, reads the data with its loader, and plays an item of our served world with its client.

Usage: agentgym_loader.py FOLDER AGENTGYM_RL AGENTENV ADDRESS. Prints one JSON object per line. Parts that need a GPU (vLLM, FSDP) are not run.
"""

import json
import os
import sys
from pathlib import Path

folder, checkout, agentenv, address = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4]
ours = folder / "agentgym-rl"
os.environ["TABGYM_HANDOFF"] = str(ours)
sys.path[:0] = [str(checkout / "AgentGym-RL"), agentenv]


def report(name, ok, **more):
    print(json.dumps({"check": name, "ok": bool(ok), **more}), flush=True)


from hydra import compose, initialize_config_dir  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402

with initialize_config_dir(str(ours), version_base=None):
    config = compose("tabgym")
known = OmegaConf.load(checkout / "AgentGym-RL/verl/agent_trainer/config/ppo_trainer.yaml")
mine = OmegaConf.load(ours / "tabgym.yaml")


def paths(node, at=""):
    for key in node:
        path = f"{at}{key}"
        if path.split(".")[0] in ("hydra", "defaults"):
            continue
        if OmegaConf.is_dict(node[key] if not OmegaConf.is_missing(node, key) else None):
            yield from paths(node[key], f"{path}.")
        else:
            yield path


# OmegaConf.select returns None both for a key that is null and for one that is missing, so look for the key in its
# parent.
def has(path):
    parent, _, key = path.rpartition(".")
    node = OmegaConf.select(known, parent) if parent else known
    return node is not None and key in node


unknown = [path for path in paths(mine) if not has(path)]
rounds = OmegaConf.to_container(config.algorithm.rounds_ctrl)
report("AgentGym-RL composes the configuration, and knows every setting of it", not unknown, unknown=unknown, rounds=rounds)

from transformers import AutoTokenizer  # noqa: E402
from verl.utils.agent_dataset.rl_dataset import RLHFDataset  # noqa: E402

config.actor_rollout_ref.agentgym.env_addr = address
tokenizer = AutoTokenizer.from_pretrained(folder / "model")
dataset = RLHFDataset(str(ours / "train.json"), tokenizer, config.data, config.actor_rollout_ref.agentgym)
row = dataset[0]
report("AgentGym-RL's loader reads the data", len(dataset) == 20 and row["data_source"] == "textcraft", rows=len(dataset), item=row["item_id"])

from verl.utils.agentgym.client import init_env_client  # noqa: E402

client = init_env_client(config.actor_rollout_ref.agentgym)
client.reset(int(row["item_id"].split("_")[-1]))
first = client.observe()
answer = client.step("Thought: I look.\nAction: inventory")
report("AgentGym-RL's client plays an item of our served world", "Goal: craft" in first and "Inventory" in answer.state, answer=answer.state)
