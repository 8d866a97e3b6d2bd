// `npm run test:interop [-- --episodes 50 --world textcraft --part openenv]`: other people's programs against our server. `agentgym`: its own
// Python clients and Evaluator play episodes of every served world, the agents of the page's gallery through /v1/chat/completions.
// `openenv`: its own client and validator, and verifiers' evaluation. Installs into build/interop; says what it skipped and why.
// AgentGym is fetched at the commit that the protocol was read at, or taken from TABGYM_AGENTGYM.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/machine.mjs';
import { buildCli } from '../../scripts/run.mjs';
import { command, pythonWith, Skipped } from './environment.mjs';

const commit = '3ef9235';
const repository = 'https://github.com/WooooDyy/AgentGym';
const packages = {
  agentgym: ['requests', 'numpy', 'openai'],
  // verifiers 0.4.0 needs another `mcp` than openenv.
  openenv: ['verifiers==0.3.1', 'openenv==0.10.0'],
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
    throw new Skipped(`${path} holds no AgentGym (agentenv/agentenv/envs)`);
  return join(path, 'agentenv');
}

/** A Python of its own, with the packages of a part. */
const makeEnvironment = (part) => pythonWith(packages[part], join(folder, `python-${part}`));

/** Of AgentGym's names of worlds, the agents of the page's gallery, and the options that they were trained under. */
const agents = Object.fromEntries(
  [
    ['textcraft', 'textcraft-first'],
    ['babyai', 'babyai', 'babyai-agent'],
    ['sciworld', 'sciworld-first'],
    ['searchqa', 'search-first'],
    ['webarena', 'web-first'],
  ].map(([name, agent, experiment = agent]) => {
    const [{ name: world, options }] = JSON.parse(
      readFileSync(join(root, `experiments/${experiment}.json`), 'utf8'),
    ).worlds;
    // Search's policy knows the project's own texts: the original's instruct at length, beyond its room.
    const own = world === 'search' ? { upstream: false } : {};
    return [name, { world, options: { ...options, ...own }, policy: `public/agents/${agent}/${agent}.tabgym` }];
  }),
);

/** By world, in the order in which they were named. */
function modelsIn(said) {
  const ids = [...said.matchAll(/^(\S+): \S+\/v1\/chat\/completions$/gm)].map(([, id]) => id);
  return Object.fromEntries(Object.keys(agents).map((name, i) => [name, ids[i]]));
}

/** The address it prints, once it listens. */
async function startServer() {
  const options = join(folder, 'options.json');
  writeFileSync(
    options,
    JSON.stringify(Object.fromEntries(Object.values(agents).map(({ world, options }) => [world, options]))),
  );
  const args = ['build/cli/serve.js', '--port', '0', '--device', 'wasm', '--options', options];
  for (const { policy } of Object.values(agents)) args.push('--policy', policy);
  const server = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const chunk of server.stdout) {
    said += chunk;
    const address = /^listening on (\S+),/m.exec(said)?.[1];
    if (address) return { server, address, models: modelsIn(said) };
  }
  throw new Error(`The server ended before it listened:\n${said}`);
}

/** Its exit status. */
function python(interpreter, args, env = {}) {
  const child = spawn(interpreter, args, {
    stdio: 'inherit',
    env: { ...process.env, NO_PROXY: '127.0.0.1', PYTHONDONTWRITEBYTECODE: '1', ...env },
  });
  return new Promise((resolve) => child.once('exit', resolve));
}

/** Each makes ready first, then plays; true where nothing is wrong. */
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
      const client = await python(interpreter, [join(here, 'openenv.py'), address, 'textcraft']);
      return (await python(interpreter, [join(here, 'verifiers.py'), address, '2'])) === 0 && client === 0;
    };
  },
};

/** Of the parts that can be had, how each is played. */
function madeReady(names) {
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
  mkdirSync(folder, { recursive: true });
  const ready = Object.entries(madeReady(values.part));
  if (!ready.length) return 0;
  await buildCli();
  const started = await startServer();
  try {
    let good = true;
    for (const [name, play] of ready) {
      const played = await play(started, values);
      console.log(`${name}: ${played ? 'all is well' : 'failed'}`);
      good &&= played;
    }
    return good ? 0 : 1;
  } finally {
    started.server.kill();
  }
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
