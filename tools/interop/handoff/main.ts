/**
 * `npm run test:interop-handoff [-- PART...]`: checks that other programs read our exports, and that we read what they
 * train. Parts: exports (transformers, PEFT, onnxruntime), verl, agentgym-rl, trl, trl-tools. Each runs in a Python environment
 * under build/interop, or in the one that a variable names (TABGYM_HANDOFF_PYTHON, TABGYM_VERL_PYTHON;
 * TABGYM_AGENTGYM_RL and TABGYM_AGENTGYM are checkouts). A part with missing requirements is skipped by name; exits
 * with 1 if a check fails.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pythonWith, Skipped } from '../environment.mjs';
import { byTools, ourScores, prepare, prepareTools } from './material.ts';

const folder = resolve('build/interop/handoff');
const scripts = resolve('tools/interop/handoff');
const limit = 1e-4;
const port = 36_001;

const shared = [
  'torch',
  'transformers==5.23.0',
  'peft==0.21.2',
  'trl==1.16.0',
  'onnxruntime',
  'aiohttp',
  'jmespath',
  'hydra-core',
];
const forVerl = [
  'verl==0.9.1',
  'transformers>=5.5.3,<5.11',
  'aiohttp',
  'TransferQueue',
  'cachetools',
  'uvicorn',
  'fastapi',
];

let failures = 0;

function print(ok: boolean, name: string, rest = ''): void {
  if (!ok) failures++;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}${rest ? `  ${rest}` : ''}`);
}

/** Python named by the variable, else that of a new environment. */
const python = (variable: string, name: string, packages: readonly string[]): string =>
  process.env[variable] ?? pythonWith(packages, join(folder, '..', `python-${name}`));

/** Runs a script and prints its checks, line by line. */
function run(interpreter: string, script: string, ...args: string[]): Promise<void> {
  // With several threads, they wait for each other on a busy machine.
  const env = {
    ...process.env,
    OMP_NUM_THREADS: '1',
    NO_PROXY: '127.0.0.1',
    PYTHONDONTWRITEBYTECODE: '1',
    WANDB_MODE: 'disabled',
  };
  const child = spawn(interpreter, [join(scripts, script), folder, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  let output = '';
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-4000);
  });
  child.stdout.on('data', (chunk) => {
    output += chunk;
    const lines = output.split('\n');
    output = lines.pop()!;
    for (const line of lines.filter((each) => each.startsWith('{"check"'))) {
      const { check, ok, ...rest } = JSON.parse(line);
      print(ok, check, JSON.stringify(rest));
    }
  });
  return new Promise((done) => {
    child.once('exit', (code) => {
      if (code !== 0) print(false, `${script} ended with ${code}`, errors.trim().split('\n').slice(-12).join('\n'));
      done();
    });
  });
}

/** Serves the worlds of a hand-off, with its own script, until `play` is done. */
async function served(target: string, play: () => Promise<void>): Promise<void> {
  const server: ChildProcess = spawn(join(folder, target, 'serve.sh'), {
    env: { ...process.env, TABGYM: resolve('.') },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  try {
    await new Promise<void>((done, fail) => {
      server.stdout!.on('data', (chunk) => String(chunk).includes('listening on') && done());
      server.once('exit', (code) => fail(new Error(`serve.sh ended with ${code}`)));
    });
    await play();
  } finally {
    server.removeAllListeners('exit');
    process.kill(-server.pid!);
  }
}

/** Checks that an adapter trained by PEFT gives the same log-probabilities here as there. */
async function checkReturned(): Promise<void> {
  const theirs: number[][] = JSON.parse(readFileSync(join(folder, 'peft-trained.json'), 'utf8'));
  const { sequences } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
  const { checkpointAt } = await import('./material.ts');
  const ours = await ourScores(checkpointAt(join(folder, 'model')), sequences.made, join(folder, 'peft-trained'));
  const largest = Math.max(...ours.flat().map((value, i) => Math.abs(value - theirs.flat()[i])));
  print(
    largest <= limit,
    'an adapter that PEFT trained comes back',
    JSON.stringify({ largest, limit, tokens: ours.flat().length }),
  );
}

function checkoutAt(variable: string): string {
  const given = process.env[variable];
  if (given && existsSync(given)) return given;
  throw new Skipped(`${variable} must be the folder of a checkout`);
}

const parts: { [part: string]: () => Promise<void> } = {
  exports: async () => {
    await run(python('TABGYM_HANDOFF_PYTHON', 'handoff', shared), 'exports.py');
    await checkReturned();
  },
  verl: async () => {
    const interpreter = python('TABGYM_VERL_PYTHON', 'verl', forVerl);
    await served('verl', () => run(interpreter, 'verl_loop.py'));
  },
  'agentgym-rl': async () => {
    const [checkout, agentgym] = [checkoutAt('TABGYM_AGENTGYM_RL'), checkoutAt('TABGYM_AGENTGYM')];
    const interpreter = python('TABGYM_VERL_PYTHON', 'verl', forVerl);
    const address = `http://127.0.0.1:${port}/textcraft`;
    await served('agentgym-rl', () =>
      run(interpreter, 'agentgym_loader.py', checkout, join(agentgym, 'agentenv'), address),
    );
  },
  trl: async () => {
    const interpreter = python('TABGYM_HANDOFF_PYTHON', 'handoff', shared);
    await served('trl', () => run(interpreter, 'trl_steps.py', '10'));
  },
  [byTools]: async () => {
    const interpreter = python('TABGYM_HANDOFF_PYTHON', 'handoff', shared);
    await served(byTools, () => run(interpreter, 'trl_tools_steps.py', '10'));
  },
};

const wanted = process.argv.slice(2);
mkdirSync(join(folder, '..'), { recursive: true });
const tell = (line: string) => console.log(line);
if (!wanted.length || wanted.some((name) => name !== byTools)) await prepare(folder, tell);
if (!wanted.length || wanted.includes(byTools)) await prepareTools(folder, tell);
for (const [name, part] of Object.entries(parts)) {
  if (wanted.length && !wanted.includes(name)) continue;
  try {
    await part();
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    console.log(`skip ${name}: ${error.message}`);
  }
}
console.log(failures ? `${failures} checks failed` : 'every check passed');
process.exit(failures ? 1 : 0);
