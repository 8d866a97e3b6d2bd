/**
 * The trainer's worker: owns the GPU device, serves `TrainerApi` to the page over comlink, and starts the worlds'
 * workers. session/service/trainer-service.ts does the work; this file connects it to the browser.
 */
import * as Comlink from 'comlink';
import { WasmDevice } from '../device/wasm/device.ts';
import { Gpu } from '../device/webgpu/device.ts';
import type { ConnectionSettings } from '../envs/module.ts';
import { presets } from '../experiment/presets.ts';
import { ModelLibrary } from '../models/library.ts';
import { modelSettings } from '../session/api/model-connection.ts';
import { DeviceChooser } from '../session/device/device-choice.ts';
import { oneThreadName } from '../session/protocol.ts';
import { Assembly } from '../session/service/assembly.ts';
import { noLocks, WebLocks } from '../session/service/ownership.ts';
import { TrainerService } from '../session/service/trainer-service.ts';
import { BrowserAdapterMemory } from '../store/adapter-memory.ts';
import { BrowserStore } from '../store/browser.ts';
import { IndexedDbStore } from '../store/indexeddb.ts';
import { MemoryStore } from '../store/memory.ts';
import { RunStore } from '../store/run-store.ts';
import { WeightsCache } from '../store/weights-cache.ts';
import { OpfsDisk } from '../store/weights-opfs.ts';
import { otherThread } from './spawn-clock.ts';
import { openSandbox } from './spawn-sandbox.ts';
import { openGuardedWorld } from './spawn-world.ts';

/** False in old browsers and in pages without HTTPS. */
const hasFiles = typeof navigator.storage?.getDirectory === 'function';
const models = hasFiles ? new ModelLibrary(new WeightsCache(new OpfsDisk())) : undefined;

const threads = self.name === oneThreadName ? 1 : undefined;
/**
 * In a frame of some pages, opening a database never ends. An embedded view then keeps its runs in memory; a page of its
 * own waits, because its runs may be there.
 */
const embeddedPatienceMs = 5000;
const backend = new BrowserStore(
  new IndexedDbStore(),
  new MemoryStore(),
  threads === undefined ? undefined : embeddedPatienceMs,
);
const adapters = new BrowserAdapterMemory(() => backend.isLasting());
const devices = new DeviceChooser(
  { webgpu: () => Gpu.open(navigator.gpu as GPU | undefined), wasm: () => WasmDevice.open({ relaxed: true, threads }) },
  { memory: adapters },
);

const connections = new Map<string, ConnectionSettings>();

const service = new TrainerService({
  models,
  store: new RunStore(backend),
  engines: new Assembly({
    models,
    machine: devices,
    openWorld: (name) => openGuardedWorld(name, connections.get(name)),
    modelSettings: (address) => modelSettings(connections, address),
    adapters,
    openSandbox,
  }),
  locks: navigator.locks ? new WebLocks(navigator.locks) : noLocks,
  presets,
  connections,
  devices,
  otherThread,
});

Comlink.expose(service);
