/** The trainer's service on Node, in this thread; its worlds and the device's helpers have threads of their own. */

import { presets } from '../../experiment/presets.ts';
import { modelSettings } from '../../session/api/model-connection.ts';
import { Assembly } from '../../session/service/assembly.ts';
import { noLocks } from '../../session/service/ownership.ts';
import { TrainerService } from '../../session/service/trainer-service.ts';
import { FolderStore } from '../../store/folder.ts';
import { MemoryStore } from '../../store/memory.ts';
import { RunStore } from '../../store/run-store.ts';
import { otherThread } from '../../workers/spawn-clock.ts';
import { openSandbox } from '../../workers/spawn-sandbox.ts';
import { openGuardedWorld, settingsFromEnvironment } from '../../workers/spawn-world.ts';
import { connectionsOf, type OpenedService, PlatformError, type TrainerOptions } from '../options.ts';
import { NodeBaseModels } from './base-models.ts';
import { openDevice } from './device.ts';

function backendOf({ store = 'memory' }: TrainerOptions) {
  if (store === 'browser')
    throw new PlatformError('store is "browser", which only a page has. On Node, give {folder: PATH} or "memory".');
  return store === 'memory' ? new MemoryStore() : new FolderStore(store.folder);
}

export async function openNodeService(options: TrainerOptions): Promise<OpenedService> {
  const connections = connectionsOf(options);
  const { device, threads } = options;
  const service = new TrainerService({
    store: new RunStore(backendOf(options)),
    engines: new Assembly({
      machine: { open: () => openDevice({ device, threads }) },
      openWorld: (name) => openGuardedWorld(name, { ...settingsFromEnvironment(name), ...connections.get(name) }),
      models: new NodeBaseModels(),
      modelSettings: (address) => modelSettings(connections, address),
      openSandbox,
    }),
    locks: noLocks,
    presets,
    connections,
    otherThread,
  });
  return { service, close: () => service.close(), lost: new Promise(() => {}) };
}
