/** A world in a worker of the page's own, for an editor: independent of the trainer, and bounded in time. */
import type { World } from '../../envs/env.ts';
import type { WorldModule } from '../../envs/module.ts';
import { WorldPool } from '../../envs/transport/pool.ts';
import type { WorldPort, WorldReply } from '../../envs/transport/port.ts';

function portOf(worker: Worker): WorldPort {
  return {
    post: (request) => worker.postMessage(request),
    listen(receive, lost) {
      worker.onmessage = (event: MessageEvent<WorldReply>) => receive(event.data);
      worker.onerror = (event) => lost(`the worker stopped: ${event.message || 'its script could not be loaded'}`);
    },
    terminate: () => worker.terminate(),
  };
}

export const openOwnWorker = (module: WorldModule): Promise<World> =>
  WorldPool.open({
    description: module,
    ...(module.connection.timeoutMs && { timeoutMs: module.connection.timeoutMs }),
    spawn: async () =>
      portOf(new Worker(new URL('../../workers/world-worker.ts', import.meta.url), { type: 'module', name: 'world' })),
  });
