// `npm run test:interop [-- --episodes 50 --world textcraft --part openenv]`: runs other people's programs against our
// server. `agentgym`: AgentGym's Python clients and Evaluator play episodes of every served world, with the gallery's
// agents through /v1/chat/completions. `openenv`: its client and validator, and verifiers' evaluation. `tinker`: Tinker's
// SDK trains a tiny policy and an adapter. `trl`: OpenEnv's validator and TRL's GRPOTrainer on an exported typed world. Installs into build/interop; prints what it skipped and
// why. AgentGym is fetched at the commit whose protocol was copied, or taken from TABGYM_AGENTGYM; TABGYM_TRL_PYTHON:
// a Python with torch, TRL and openenv.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/machine.mjs';
import { buildCli } from '../../scripts/run.mjs';
import { addressOf, command, pythonWith, Skipped } from './environment.mjs';
import { playExported } from './exported.mjs';
import { trainServed } from './trained.mjs';

const commit = '3ef9235';
const repository = 'https://github.com/WooooDyy/AgentGym';
const packages = {
  agentgym: ['requests', 'numpy', 'openai'],
  // verifiers 0.4.0 needs another version of `mcp` than openenv.
  openenv: ['verifiers==0.3.1', 'openenv==0.10.0'],
  tinker: ['tinker==0.38.0'],
  trl: ['torch', 'transformers==5.23.0', 'trl==1.16.0', 'openenv==0.10.0'],
};
const folder = join(root, 'build/interop');
const here = join(root, 'tools/interop');

function fetchAgentGym() {
  const given = process.env.TABGYM_AGENTGYM;
  const path = given ?? join(folder, 'AgentGym');
  if (!existsSync(join(path, 'agentenv/agentenv/envs')) && !given) {
    command('git', ['clone', '--quiet', repository, path]);
    command('git', ['-C', path, 'checkout', '--quiet', commit]);
  }
  if (!existsSync(join(path, 'agentenv/agentenv/envs')))
    throw new Skipped(`${path} is not a checkout of AgentGym: agentenv/agentenv/envs is missing`);
  return join(path, 'agentenv');
}

/** A Python environment with the packages of a part. */
const makeEnvironment = (part) => pythonWith(packages[part], join(folder, `python-${part}`));

/**
 * The gallery's agents that exist here, by AgentGym's names of worlds, with the options under which they were trained.
 */
const agents = Object.fromEntries(
  [
    ['textcraft', 'textcraft-first'],
    ['babyai', 'babyai', 'babyai-agent'],
    ['sciworld', 'sciworld-first'],
    ['searchqa', 'search-first'],
    ['webarena', 'web-first'],
  ].flatMap(([name, agent, experiment = agent]) => {
    const file = join(root, `experiments/${experiment}.json`);
    if (!existsSync(file)) return [];
    const [{ name: world, options }] = JSON.parse(readFileSync(file, 'utf8')).worlds;
    // Search's policy was trained on the project's own texts. The original's instructions are longer than its prompt
    // allows.
    const own = world === 'search' ? { upstream: false } : {};
    return [[name, { world, options: { ...options, ...own }, policy: `public/agents/${agent}/${agent}.tabgym` }]];
  }),
);

/** Model ids by world, from the server's output, in the order of `agents`. */
function modelsIn(output) {
  const ids = [...output.matchAll(/^(\S+): \S+\/v1\/chat\/completions$/gm)].map(([, id]) => id);
  return Object.fromEntries(Object.keys(agents).map((name, i) => [name, ids[i]]));
}

/** Starts the server and waits for the address that it prints when it listens. */
async function startServer() {
  const options = join(folder, 'options.json');
  writeFileSync(
    options,
    JSON.stringify(Object.fromEntries(Object.values(agents).map(({ world, options }) => [world, options]))),
  );
  const args = ['build/cli/serve.js', '--port', '0', '--device', 'wasm', '--options', options];
  for (const { policy } of Object.values(agents)) args.push('--policy', policy);
  const server = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const { address, output } = await addressOf(server);
  return { server, address, models: modelsIn(output) };
}

/** Runs a Python script and resolves to its exit status. */
function python(interpreter, args, env = {}) {
  const child = spawn(interpreter, args, {
    stdio: 'inherit',
    env: { ...process.env, NO_PROXY: '127.0.0.1', PYTHONDONTWRITEBYTECODE: '1', ...env },
  });
  return new Promise((resolve) => child.once('exit', resolve));
}

/** Parts that play the served worlds; the others start a server of their own. */
const playServed = ['agentgym', 'openenv'];

/** Each part first installs what it needs and returns a function that runs the checks; true if all pass. */
const parts = {
  agentgym() {
    const [interpreter, agentenv] = [makeEnvironment('agentgym'), fetchAgentGym()];
    console.log(
      "torch and transformers are stand-ins without content: AgentGym's clients and Evaluator only import them",
    );
    const PYTHONPATH = [agentenv, join(here, 'stand-ins')].join(delimiter);
    return async ({ address, models }, { episodes, world }) => {
      const args = [join(here, 'agentgym.py'), address, episodes, JSON.stringify(models), ...world];
      return (await python(interpreter, args, { PYTHONPATH })) === 0;
    };
  },
  openenv() {
    const interpreter = makeEnvironment('openenv');
    return async ({ address }) => {
      const statuses = [];
      for (const world of ['textcraft', 'household', 'shop'])
        statuses.push(await python(interpreter, [join(here, 'openenv.py'), address, world]));
      statuses.push(await python(interpreter, [join(here, 'verifiers.py'), address, '2']));
      return statuses.every((status) => status === 0);
    };
  },
  tinker() {
    const interpreter = makeEnvironment('tinker');
    return () => trainServed(folder, interpreter, python);
  },
  trl() {
    const interpreter = process.env.TABGYM_TRL_PYTHON ?? makeEnvironment('trl');
    return () => playExported(folder, interpreter, python);
  },
};

/** Prepares the parts and returns the functions that run them. Parts with missing requirements are skipped. */
function prepareParts(names) {
  const ready = {};
  for (const name of names) {
    try {
      ready[name] = parts[name]();
    } catch (error) {
      if (!(error instanceof Skipped)) throw error;
      console.log(`skipped ${name}: ${error.message}`);
    }
  }
  return ready;
}

async function main() {
  const { values } = parseArgs({
    options: {
      episodes: { type: 'string', default: '50' },
      world: { type: 'string', multiple: true, default: [] },
      part: { type: 'string', multiple: true, default: Object.keys(parts) },
    },
  });
  const unknown = values.part.find((name) => !Object.hasOwn(parts, name));
  if (unknown !== undefined)
    throw new RangeError(`There is no part ${unknown}. Parts are ${Object.keys(parts).join(', ')}.`);
  mkdirSync(folder, { recursive: true });
  const ready = Object.entries(prepareParts(values.part));
  if (!ready.length) return 0;
  await buildCli();
  const started = ready.some(([name]) => playServed.includes(name)) ? await startServer() : null;
  try {
    let good = true;
    for (const [name, play] of ready) {
      const played = await play(started, values);
      console.log(`${name}: ${played ? 'passed' : 'failed'}`);
      good &&= played;
    }
    return good ? 0 : 1;
  } finally {
    started?.server.kill();
  }
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
