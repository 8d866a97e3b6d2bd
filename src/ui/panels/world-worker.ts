/** A world in a worker of the page's own, for an editor: independent of the trainer, and bounded in time. */
import type { World } from '../../envs/env.ts';
import type { WorldModule } from '../../envs/module.ts';
import { pagePort } from '../../envs/transport/page-port.ts';
import { WorldPool } from '../../envs/transport/pool.ts';

export const openOwnWorker = (module: WorldModule): Promise<World> =>
  WorldPool.open({
    description: module,
    ...(module.connection.timeoutMs && { timeoutMs: module.connection.timeoutMs }),
    spawn: async () =>
      pagePort(
        new Worker(new URL('../../workers/world-worker.ts', import.meta.url), { type: 'module', name: 'world' }),
      ),
  });
