"""OpenEnv's runtime checks (openenv 0.10.0) of an exported folder, whose server already listens: the validator would build it with Docker.

Usage: runtime.py ADDRESS FOLDER. Prints one JSON object per check that the validator makes.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

# The folder of this file has a module openenv of its own.
sys.path = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).parent.resolve()]
from openenv.validation.runner import run_validation  # noqa: E402
from openenv.validation.types import Level, ProviderCapability  # noqa: E402

address, folder = sys.argv[1], Path(sys.argv[2])
wanted = ("runtime.startup", "runtime.observation_schema", "runtime.reward_well_formed", "runtime.state_contract")
plan = {
    "plan_schema_version": "1",
    "reset": {"episode_id": "one", "seed": 7},
    "actions": [{"message": message} for message in ("guess 1", "not an action", "guess 20")],
}


class Listening:
    """A server that somebody else started and stops."""

    base_url = address
    name = "listening"
    capabilities = frozenset({ProviderCapability.IMAGE_BUILD})
    supported_network_modes = frozenset({"no-network"})

    def build(self, root, execution):
        return "sha256:" + "0" * 64

    def start(self, spec):
        return self

    def inspect(self):
        return {}

    def stop(self):
        pass


with tempfile.TemporaryDirectory() as copy:
    for path in folder.iterdir():
        if path.is_file():
            shutil.copy(path, copy)
    (Path(copy) / "validation").mkdir()
    (Path(copy) / "validation/runtime.json").write_text(json.dumps(plan))
    with (Path(copy) / "openenv.yaml").open("a") as manifest:
        manifest.write("  execution:\n    kind: openenv_ws\n    agent_boundary: api\n")
    # The validator gives the evaluation of a schema five seconds, too few where a busy machine starts Python slowly.
    for _ in range(4):
        report = run_validation(Path(copy), max_level=Level.RUNTIME, provider=Listening())
        results = {result.check_id: result for result in report.results}
        if not any("time budget" in line for result in report.results for line in result.evidence):
            break

passed = True
for name in wanted:
    ok = name in results and results[name].status.value == "pass"
    passed = passed and ok
    print(json.dumps({"check": name, "ok": ok, "evidence": results[name].evidence if name in results else []}), flush=True)
sys.exit(0 if passed else 1)
