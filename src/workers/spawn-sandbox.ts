/** Starts the sandbox's worker: a module worker in a page or in one of its workers, a thread in Node. */
import { repositoryRoot } from '../envs/transport/wasm.ts';
import { SandboxBrokenError } from '../sandbox/errors.ts';
import { pagePort } from '../sandbox/page-port.ts';
import type { SandboxPort, SandboxReply, SandboxRequest } from '../sandbox/protocol.ts';
import { Sandbox } from '../sandbox/sandbox.ts';

function spawnInPage(): SandboxPort {
  return pagePort(new Worker(new URL('./sandbox-worker.ts', import.meta.url), { type: 'module', name: 'sandbox' }));
}

/** Starts a Node thread from a built worker file. It keeps the process alive while it loads and during a call. */
export async function spawnNodeSandbox(file: string): Promise<SandboxPort> {
  const { Worker } = await import('node:worker_threads');
  const { existsSync } = await import('node:fs');
  if (!existsSync(file))
    throw new SandboxBrokenError(`${file} is missing. Build the tools: node scripts/run.mjs train --help`);
  const worker = new Worker(file, { execArgv: [], env: {} });
  let ending = false;
  return {
    post(request: SandboxRequest) {
      worker.ref();
      worker.postMessage(request);
    },
    listen(receive, lost) {
      worker.on('message', (reply: SandboxReply) => {
        worker.unref();
        receive(reply);
      });
      worker.on('error', (error) => lost(`the worker stopped: ${(error as Error).message}`));
      worker.on('exit', (code) => ending || lost(`the worker ended with code ${code}`));
    },
    terminate() {
      ending = true;
      void worker.terminate();
    },
  };
}

export async function spawnSandbox(): Promise<SandboxPort> {
  if (import.meta.env.SSR) return spawnNodeSandbox(`${await repositoryRoot()}/build/cli/sandbox-worker.js`);
  return spawnInPage();
}

/** A sandbox whose worker starts with its first call. */
export const openSandbox = (): Sandbox => new Sandbox(spawnSandbox);
