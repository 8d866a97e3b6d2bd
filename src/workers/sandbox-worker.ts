/** Worker that runs custom code: a module worker of a page, or a thread of Node (build/cli/sandbox-worker.js). */
import type { SandboxRequest } from '../sandbox/protocol.ts';
import { serveSandbox } from '../sandbox/serve.ts';

async function serve(): Promise<void> {
  if (import.meta.env.SSR) {
    const { parentPort } = await import('node:worker_threads');
    const port = parentPort!;
    port.on(
      'message',
      serveSandbox((reply, transfer) => port.postMessage(reply, transfer)),
    );
  } else {
    const receive = serveSandbox((reply, transfer) => self.postMessage(reply, { transfer }));
    self.onmessage = (event: MessageEvent<SandboxRequest>) => receive(event.data);
  }
}

void serve();
