/** The trainer's service on Node, in this thread; its worlds and the device's helpers have threads of their own. */

import { presets } from '../../experiment/presets.ts';
import { noLocks } from '../../session/service/ownership.ts';
import { TrainerService } from '../../session/service/trainer-service.ts';
import { FolderStore } from '../../store/folder.ts';
import { MemoryStore } from '../../store/memory.ts';
import { RunStore } from '../../store/run-store.ts';
import { otherThread } from '../../workers/spawn-clock.ts';
import { connectionsOf, type OpenedService, PlatformError, type TrainerOptions } from '../options.ts';
import { nodeEngines } from './engines.ts';
import { shippedAgent } from './shipped-agents.ts';

function backendOf({ store = 'memory' }: TrainerOptions) {
  if (store === 'browser')
    throw new PlatformError('store is "browser", which only a page has. On Node, give {folder: PATH} or "memory".');
  return store === 'memory' ? new MemoryStore() : new FolderStore(store.folder);
}

export async function openNodeService(options: TrainerOptions): Promise<OpenedService> {
  const connections = connectionsOf(options);
  const store = new RunStore(backendOf(options));
  const engines = nodeEngines(options, connections);
  const own = { store, engines, connections, shippedAgent };
  const service = new TrainerService({ ...own, locks: noLocks, presets, otherThread });
  return {
    service,
    async close() {
      await service.close();
      await engines.closeDevice();
    },
    place: (run) => service.placeRun(run),
    lost: new Promise(() => {}),
  };
}
