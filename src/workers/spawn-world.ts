/**
 * Starts a world's worker where this code runs: a module worker in a page (or in a worker of it), a thread in Node. Gives
 * the pool the one thing it needs of either: a WorldPort.
 */
import type { Worker as NodeWorker } from 'node:worker_threads';
import { type World, WorldError } from '../envs/env.ts';
import type { ConnectionSettings } from '../envs/module.ts';
import { askForFrame } from '../envs/transport/frame-port.ts';
import { WorldPool } from '../envs/transport/pool.ts';
import type { WorldPort, WorldReply, WorldRequest } from '../envs/transport/port.ts';
import { RemoteWorld } from '../envs/transport/remote.ts';
import { repositoryRoot } from '../envs/transport/wasm.ts';
import { worldModule } from '../worlds/registry.ts';

function pagePort(worker: Worker): WorldPort {
  return {
    post: (request) => worker.postMessage(request),
    listen(receive, lost) {
      worker.onmessage = (event: MessageEvent<WorldReply>) => receive(event.data);
      worker.onerror = (event) => lost(`the worker stopped: ${event.message || 'its script could not be loaded'}`);
      worker.onmessageerror = () => lost('the worker sent a message that cannot be read');
    },
    terminate: () => worker.terminate(),
  };
}

/** A thread keeps the process alive only while a reply is awaited. */
function nodePort(worker: NodeWorker): WorldPort {
  let awaited = 0;
  worker.unref();
  return {
    post(request: WorldRequest) {
      // Giving a call up has no answer of its own.
      if (request.call !== 'abort' && awaited++ === 0) worker.ref();
      worker.postMessage(request);
    },
    listen(receive, lost) {
      worker.on('message', (reply: WorldReply) => {
        if (--awaited === 0) worker.unref();
        receive(reply);
      });
      worker.on('error', (error) => lost(`the worker stopped: ${(error as Error).message}`));
      worker.on('exit', (code) => lost(`the worker ended with code ${code}`));
    },
    terminate: () => void worker.terminate(),
  };
}

/** A thread of Node from a built worker file. */
export async function spawnNodeWorker(file: string): Promise<WorldPort> {
  const { Worker } = await import('node:worker_threads');
  const { existsSync } = await import('node:fs');
  if (!existsSync(file))
    throw new WorldError(`${file} is missing. Build the tools: node scripts/run.mjs replay --help`);
  return nodePort(new Worker(file));
}

export async function spawnWorldWorker(): Promise<WorldPort> {
  if (import.meta.env.SSR) return spawnNodeWorker(`${await repositoryRoot()}/build/cli/world-worker.js`);
  return pagePort(new Worker(new URL('./world-worker.ts', import.meta.url), { type: 'module', name: 'world' }));
}

/** A world behind a worker, guarded. */
export async function openWorldPool(
  name: string,
  options: { timeoutMs?: number; settings?: ConnectionSettings } = {},
): Promise<World> {
  return WorldPool.open({ ...options, description: worldModule(name), spawn: spawnWorldWorker });
}

/** A world in a frame of the page, guarded; Node has no frames, so it lives in a thread there. */
const openFramePool = (name: string, timeoutMs?: number): Promise<World> =>
  WorldPool.open({
    ...(timeoutMs && { timeoutMs }),
    description: worldModule(name),
    spawn: import.meta.env.SSR ? spawnWorldWorker : async () => askForFrame(name),
  });

/** Of a program in Node: `TABGYM_NAME_ADDRESS` and `TABGYM_NAME_TOKEN`. */
export function settingsFromEnvironment(name: string): ConnectionSettings {
  const said = (what: string) => process.env[`TABGYM_${name.toUpperCase().replaceAll('-', '_')}_${what}`] || undefined;
  const [address, token] = [said('ADDRESS'), said('TOKEN')];
  return { ...(address && { address }), ...(token && { token }) };
}

/** A world as sessions use it: its own worker where it runs here, a deadline on each call where it is reached over a line. */
export async function openGuardedWorld(
  name: string,
  settings?: ConnectionSettings,
  /** What an answer may take in a thread of this machine, where that is more than the usual. */
  patienceMs?: number,
): Promise<World> {
  const module = worldModule(name);
  const { kind, timeoutMs } = module.connection;
  const known = settings ?? (import.meta.env.SSR ? settingsFromEnvironment(name) : {});
  const patience = patienceMs ?? timeoutMs;
  if (kind === 'wasm') return openWorldPool(name, { settings: known, ...(patience && { timeoutMs: patience }) });
  if (kind === 'page') return openFramePool(name, patience);
  return RemoteWorld.open(module, known);
}
