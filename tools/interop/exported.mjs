// The part `trl` of `npm run test:interop`: exports a typed world for OpenEnv, has OpenEnv's validator read the folder,
// serves it with the folder's own command, has the validator play there, and lets TRL's GRPOTrainer take ten steps.
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/machine.mjs';
import { addressOf } from './environment.mjs';

const world = 'src/worlds/own-world/templates/guess.js';
const steps = '10';

/** Below the repository, so that Node finds the server's packages without an installation. */
const exportedAt = (folder) => join(folder, 'exported');

function exportWorld(folder) {
  const out = exportedAt(folder);
  rmSync(out, { recursive: true, force: true });
  const args = ['build/cli/export-world.js', world, '--to', 'openenv', '--out', out];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`export-world failed: ${stderr}`);
  return out;
}

function validated(interpreter, folder) {
  const { status, stdout, stderr } = spawnSync(join(dirname(interpreter), 'openenv'), ['validate', folder], {
    encoding: 'utf8',
  });
  const lines = `${stdout}${stderr}`.trim().split('\n').slice(-6);
  console.log(JSON.stringify({ check: 'openenv validate FOLDER', ok: status === 0, lines }));
  return status === 0;
}

/** Starts the folder's server and waits for its address. */
async function served(folder) {
  const args = ['build/cli/world-server.js', 'world.js', '--port', '0'];
  const server = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const { address } = await addressOf(server);
  return { server, address };
}

/** True if the folder is valid and TRL took its steps. */
export async function playExported(folder, interpreter, python) {
  const out = exportWorld(folder);
  const valid = validated(interpreter, out);
  const { server, address } = await served(out);
  try {
    const env = { OMP_NUM_THREADS: '1', WANDB_MODE: 'disabled', HF_HUB_OFFLINE: '1', TRL_EXPERIMENTAL_SILENCE: '1' };
    const plays = await python(interpreter, [join(root, 'tools/interop/runtime.py'), address, out]);
    const trained = await python(interpreter, [join(root, 'tools/interop/trl.py'), address, steps], env);
    return valid && plays === 0 && trained === 0;
  } finally {
    server.kill();
  }
}
