/** Builds the trainer's service of a page's worker, on the browser's devices, workers and stores. */
import { WasmDevice } from '../device/wasm/device.ts';
import { Gpu } from '../device/webgpu/device.ts';
import type { ConnectionSettings } from '../envs/module.ts';
import { presets } from '../experiment/presets.ts';
import { ModelLibrary } from '../models/library.ts';
import { modelSettings } from '../session/api/model-connection.ts';
import { DeviceChooser } from '../session/device/device-choice.ts';
import { Assembly } from '../session/service/assembly.ts';
import { noLocks, WebLocks } from '../session/service/ownership.ts';
import { TrainerService } from '../session/service/trainer-service.ts';
import { BrowserAdapterMemory } from '../store/adapter-memory.ts';
import type { Backend } from '../store/run.ts';
import { RunStore } from '../store/run-store.ts';
import { WeightsCache } from '../store/weights-cache.ts';
import { OpfsDisk } from '../store/weights-opfs.ts';
import { otherThread } from './spawn-clock.ts';
import { openSandbox } from './spawn-sandbox.ts';
import { openGuardedWorld } from './spawn-world.ts';

export interface PageTrainerParts {
  backend: Backend;
  /** False where nothing may be stored beside the runs. */
  isLasting(): Promise<boolean>;
  /** Threads of the processor; undefined: by the number of cores. */
  threads?: number;
  connections?: Map<string, ConnectionSettings>;
}

/** False in old browsers and in pages without HTTPS. */
const hasFiles = () => typeof navigator.storage?.getDirectory === 'function';

/** The engines of a page's worker, with what else its service is made of. */
function pageParts({ backend, isLasting, threads, connections = new Map() }: PageTrainerParts) {
  const models = hasFiles() ? new ModelLibrary(new WeightsCache(new OpfsDisk())) : undefined;
  const adapters = new BrowserAdapterMemory(isLasting);
  const devices = new DeviceChooser(
    {
      webgpu: () => Gpu.open(navigator.gpu as GPU | undefined),
      wasm: () => WasmDevice.open({ relaxed: true, threads }),
    },
    { memory: adapters },
  );
  const engines = new Assembly({
    models,
    machine: devices,
    openWorld: (name) => openGuardedWorld(name, connections.get(name)),
    modelSettings: (address, role) => modelSettings(connections, address, role),
    adapters,
    openSandbox,
  });
  return { models, store: new RunStore(backend), engines, connections, devices };
}

/** Engines and devices alone, for a policy that is only used. */
export function pageEngines(parts: PageTrainerParts) {
  const { engines, devices } = pageParts(parts);
  return { engines, devices };
}

export function pageTrainer(parts: PageTrainerParts): TrainerService {
  return new TrainerService({
    ...pageParts(parts),
    locks: navigator.locks ? new WebLocks(navigator.locks) : noLocks,
    presets,
    otherThread,
  });
}
