/**
 * Runs AgentGym's own servers (github.com/WooooDyy/AgentGym, MIT) for checks: a checkout, a Python environment with the
 * packages of each server, and a process on loopback. All files lie outside the repository. A server that cannot be
 * installed is skipped with a message.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, pythonWith, Skipped } from '../environment.mjs';

export { Skipped };

export interface Original {
  kind: string;
  /** The package's folder in the checkout. */
  folder: string;
  module: string;
  packages: readonly string[];
  /** Python code run before the server, to remove differences between machines. */
  first?: string;
  /** Submodule of AgentGym in the package's folder. */
  submodule?: { folder: string; repository: string };
}

const root = process.env.TABGYM_INTEROP ?? join(tmpdir(), 'tabgym-interop');
/** Versions with which the recordings were made; newer ones have other error texts. */
const server = ['fastapi==0.92.0', 'pydantic==1.10.4', 'uvicorn==0.17.6', 'numpy<2'];

/** Path of the checkout: the folder named by TABGYM_AGENTGYM, else a clone. */
function checkout(): string {
  const given = process.env.TABGYM_AGENTGYM;
  if (given) {
    if (!existsSync(given)) throw new Skipped(`TABGYM_AGENTGYM is ${given}, which does not exist`);
    return given;
  }
  const folder = join(root, 'AgentGym');
  if (existsSync(folder)) return folder;
  mkdirSync(root, { recursive: true });
  command('git', ['clone', '--depth', '1', 'https://github.com/WooooDyy/AgentGym', folder], 'cloning AgentGym');
  return folder;
}

/** Python of an environment for one server, because their requirements contradict each other. */
function environment({ kind, packages }: Original): string {
  const given = process.env.TABGYM_INTEROP_PYTHON;
  if (given) return join(given, 'bin', 'python');
  return pythonWith([...server, ...packages], join(root, `python-${kind}`));
}

/** Path of the package's folder, including its submodule. */
function packageFolder({ folder, submodule }: Original): string {
  const path = join(checkout(), folder);
  if (!submodule) return path;
  const inner = join(path, submodule.folder);
  if (!existsSync(inner) || readdirSync(inner).length === 0)
    command('git', ['clone', '--depth', '1', submodule.repository, inner], `cloning ${submodule.repository}`);
  return path;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

const isUp = (address: string) =>
  fetch(`${address}/`).then(
    ({ ok }) => ok,
    () => false,
  );

const WAIT_MS = 120_000;

async function waitForServer(child: ChildProcess, address: string, output: () => string): Promise<void> {
  const end = Date.now() + WAIT_MS;
  while (Date.now() < end) {
    if (child.exitCode !== null) throw new Skipped(`its server ended: ${output().trim().split('\n').at(-1)}`);
    if (await isUp(address)) return;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Skipped(`its server did not answer within ${WAIT_MS / 1000} s`);
}

/** Runs `check` with the address of a server of this kind, and stops the server afterwards. */
export async function withServer<T>(original: Original, check: (address: string) => Promise<T>): Promise<T> {
  const cwd = packageFolder(original);
  const python = environment(original);
  const port = await freePort();
  const code = `${original.first ?? ''}\nimport uvicorn\nuvicorn.run("${original.module}:app", host="127.0.0.1", port=${port}, log_level="error")`;
  const env = { ...process.env, MPLBACKEND: 'agg', VISUAL: 'true' };
  const child = spawn(python, ['-c', code], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (text) => {
    output = (output + text).slice(-4000);
  });
  try {
    const address = `http://127.0.0.1:${port}`;
    await waitForServer(child, address, () => output);
    return await check(address);
  } finally {
    child.kill();
  }
}
