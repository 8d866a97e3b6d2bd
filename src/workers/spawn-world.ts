/**
 * Starts a world's worker (a module worker in a page or in one of its workers, a thread in Node) and returns its
 * WorldPort.
 */
import type { Worker as NodeWorker } from 'node:worker_threads';
import { type World, WorldError } from '../envs/env.ts';
import type { ConnectionSettings } from '../envs/module.ts';
import { withTextBounds } from '../envs/text-bounds.ts';
import { askForFrame } from '../envs/transport/frame-port.ts';
import { pagePort } from '../envs/transport/page-port.ts';
import { WorldPool } from '../envs/transport/pool.ts';
import type { WorldPort, WorldReply, WorldRequest } from '../envs/transport/port.ts';
import { RemoteWorld } from '../envs/transport/remote.ts';
import { repositoryRoot } from '../envs/transport/wasm.ts';
import { worldModule } from '../worlds/registry.ts';

/** The thread keeps the process alive only during calls. */
function nodePort(worker: NodeWorker): WorldPort {
  let awaited = 0;
  worker.unref();
  return {
    post(request: WorldRequest) {
      // An abort has no reply.
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

/** Starts a Node thread from a built worker file. */
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

/** A world in a worker, with a time limit for each call. */
export async function openWorldPool(
  name: string,
  options: { timeoutMs?: number; settings?: ConnectionSettings } = {},
): Promise<World> {
  return WorldPool.open({ ...options, description: worldModule(name), spawn: spawnWorldWorker });
}

/**
 * A world in a frame of the page, with a time limit for each call. Node has no frames, so it runs in a thread there.
 */
const openFramePool = (name: string, timeoutMs?: number): Promise<World> =>
  WorldPool.open({
    ...(timeoutMs && { timeoutMs }),
    description: worldModule(name),
    spawn: import.meta.env.SSR ? spawnWorldWorker : async () => askForFrame(name),
  });

/** Settings of a Node program from `TABGYM_NAME_ADDRESS` and `TABGYM_NAME_TOKEN`. */
export function settingsFromEnvironment(name: string): ConnectionSettings {
  const variable = (what: string) =>
    process.env[`TABGYM_${name.toUpperCase().replaceAll('-', '_')}_${what}`] || undefined;
  const [address, token] = [variable('ADDRESS'), variable('TOKEN')];
  return { ...(address && { address }), ...(token && { token }) };
}

/**
 * A world as sessions use it: in its own worker if it runs here, with a time limit for each call if it is remote, and
 * with bounds on the lengths of actions and observations.
 */
export async function openGuardedWorld(
  name: string,
  settings?: ConnectionSettings,
  /** Time limit of a reply from a thread of this machine, if it differs from the world's own. */
  patienceMs?: number,
): Promise<World> {
  return withTextBounds(await openUnbounded(name, settings, patienceMs));
}

async function openUnbounded(name: string, settings?: ConnectionSettings, patienceMs?: number): Promise<World> {
  const module = worldModule(name);
  const { kind, timeoutMs } = module.connection;
  const known = settings ?? (import.meta.env.SSR ? settingsFromEnvironment(name) : {});
  const patience = patienceMs ?? timeoutMs;
  if (kind === 'wasm') return openWorldPool(name, { settings: known, ...(patience && { timeoutMs: patience }) });
  if (kind === 'page') return openFramePool(name, patience);
  return RemoteWorld.open(module, known);
}
