// The part `tinker` of `npm run test:interop`: makes a small random model with an adapter, serves it and a tiny agent for
// training, and lets Tinker's SDK train both.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/machine.mjs';
import { addressOf } from './environment.mjs';

const steps = '8';

function run(tool, ...args) {
  const { status, stderr } = spawnSync(process.execPath, [`build/cli/${tool}.js`, ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${tool} failed: ${stderr}`);
}

/** A run of one step with an adapter on a random model of two layers. Returns its file. */
function makeAdapter(folder) {
  const [model, out, file] = ['model', 'adapter', 'adapter.json'].map((name) => join(folder, name));
  for (const old of [model, out]) rmSync(old, { recursive: true, force: true });
  const shape = { layers: 2, hidden: 64, heads: 4, 'kv-heads': 2, intermediate: 96, vocab: 600 };
  run(
    'make-model',
    'qwen2.5-0.5b',
    '--out',
    model,
    ...Object.entries(shape).flatMap(([name, n]) => [`--${name}`, `${n}`]),
  );
  const micro = JSON.parse(readFileSync(join(root, 'experiments/micro.json'), 'utf8'));
  const lora = { rank: 4, alpha: 8, targets: ['q_proj', 'v_proj', 'down_proj'] };
  const sampling = { ...micro.sampling, promptTokens: 1024 };
  const experiment = {
    ...micro,
    name: 'adapter',
    steps: 1,
    sampling,
    policy: { kind: 'lora', model, weights: 'f32', lora },
  };
  writeFileSync(file, JSON.stringify(experiment));
  run('train', file, '--device', 'wasm', '--out', out);
  return join(out, 'run.tabgym');
}

/** True if the SDK trained both policies. */
export async function trainServed(folder, interpreter, python) {
  const policies = ['public/agents/textcraft-first/textcraft-first.tabgym', makeAdapter(folder)];
  const args = ['build/cli/serve.js', '--port', '0', '--device', 'wasm', '--train', join(folder, 'states')];
  for (const policy of policies) args.push('--policy', policy);
  const server = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const { address } = await addressOf(server);
    return (await python(interpreter, [join(root, 'tools/interop/tinker_sdk.py'), address, steps])) === 0;
  } finally {
    server.kill();
  }
}
