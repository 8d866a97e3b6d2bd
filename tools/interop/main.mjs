// `npm run test:interop [-- --episodes 50]`: other people's programs against our server. AgentGym's own Python clients and Evaluator play
// episodes of every served world, the agents of the page's gallery through /v1/chat/completions. Installs into
// build/interop; says what it skipped and why. AgentGym is fetched at the commit that the protocol was read at, or taken from TABGYM_AGENTGYM.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/machine.mjs';
import { buildCli } from '../../scripts/run.mjs';

const commit = '3ef9235';
const repository = 'https://github.com/WooooDyy/AgentGym';
const packages = ['requests', 'numpy', 'openai'];
const folder = join(root, 'build/interop');
const here = join(root, 'tools/interop');

/** Ends the command with 0: what is missing is no fault of ours. */
class Skipped extends Error {}

function run(command, args, options = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (error || status !== 0)
    throw new Skipped(`${command} ${args.join(' ')}: ${error?.message ?? stderr.trim().slice(-400)}`);
  return stdout;
}

function findPython() {
  for (const name of ['python3', 'python']) {
    const { stdout, status } = spawnSync(name, ['-c', 'import sys; print(sys.version_info >= (3, 10))'], {
      encoding: 'utf8',
    });
    if (status === 0 && stdout.trim() === 'True') return name;
  }
  throw new Skipped('there is no Python 3.10 or later');
}

function fetchAgentGym() {
  const given = process.env.TABGYM_AGENTGYM;
  const path = given ?? join(folder, 'AgentGym');
  if (!existsSync(join(path, 'agentenv/agentenv/envs')) && !given) {
    run('git', ['clone', '--quiet', repository, path]);
    run('git', ['-C', path, 'checkout', '--quiet', commit]);
  }
  if (!existsSync(join(path, 'agentenv/agentenv/envs')))
    throw new Skipped(`${path} holds no AgentGym (agentenv/agentenv/envs)`);
  return join(path, 'agentenv');
}

function makeEnvironment() {
  const venv = join(folder, 'venv');
  const python = join(venv, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  if (!existsSync(python)) run(findPython(), ['-m', 'venv', venv]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  return python;
}

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
    return [name, { world, options, policy: `public/agents/${agent}/${agent}.tabgym` }];
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

function play(python, agentenv, { address, models }, episodes) {
  const PYTHONPATH = [agentenv, join(here, 'stand-ins')].join(process.platform === 'win32' ? ';' : ':');
  const client = spawn(python, [join(here, 'agentgym.py'), address, String(episodes), JSON.stringify(models)], {
    stdio: 'inherit',
    env: { ...process.env, PYTHONPATH, NO_PROXY: '127.0.0.1', PYTHONDONTWRITEBYTECODE: '1' },
  });
  return new Promise((resolve) => client.once('exit', resolve));
}

async function main() {
  const { values } = parseArgs({ options: { episodes: { type: 'string', default: '50' } } });
  mkdirSync(folder, { recursive: true });
  const [python, agentenv] = [makeEnvironment(), fetchAgentGym()];
  console.log(
    "torch and transformers are stand-ins without content: AgentGym's clients and Evaluator only import them",
  );
  await buildCli();
  const started = await startServer();
  try {
    const code = await play(python, agentenv, started, Number(values.episodes));
    console.log(code === 0 ? 'AgentGym plays every served world' : 'AgentGym failed on a served world');
    return code;
  } finally {
    started.server.kill();
  }
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error instanceof Skipped ? `skipped: ${error.message}` : error.stack);
    process.exit(error instanceof Skipped ? 0 : 1);
  },
);
