/**
 * Worker of one world: a module worker of a page, or a thread of Node (build/cli/world-worker.js). It opens the
 * requested world and serves it; src/envs does the rest.
 */

import { serveWorld, type WorldReply, type WorldRequest } from '../envs/transport/port.ts';
import { openWorld } from '../worlds/registry.ts';

async function serve(): Promise<void> {
  if (import.meta.env.SSR) {
    const { parentPort } = await import('node:worker_threads');
    const port = parentPort!;
    port.on(
      'message',
      serveWorld((reply: WorldReply) => port.postMessage(reply), openWorld),
    );
  } else {
    const receive = serveWorld((reply: WorldReply) => self.postMessage(reply), openWorld);
    self.onmessage = (event: MessageEvent<WorldRequest>) => receive(event.data);
  }
}

void serve();
