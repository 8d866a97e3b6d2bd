/**
 * The trainer's worker, of our own page and of the library: owns the GPU device, serves `TrainerApi` over comlink, and
 * starts the worlds' workers. session/service/trainer-service.ts does the work; `page-trainer.ts` connects it to the
 * browser.
 */
import * as Comlink from 'comlink';
import type { ConnectionSettings } from '../envs/module.ts';
import type { DeviceName } from '../session/protocol.ts';
import { LoadedPolicy } from '../session/service/loaded-policy.ts';
import { policyRun } from '../session/service/policy-run.ts';
import { BrowserStore } from '../store/browser.ts';
import { IndexedDbStore } from '../store/indexeddb.ts';
import { MemoryStore } from '../store/memory.ts';
import { pageEngines, pageTrainer } from './page-trainer.ts';

interface WorkerOptions {
  threads?: number;
  store: 'memory' | 'browser';
  /** Time after which a browser that neither opens a database nor refuses it is taken to deny storage; null: never. */
  patienceMs?: number | null;
  connect?: { [world: string]: ConnectionSettings };
}

const usualPatienceMs = 5000;

function partsOf({ threads, store, connect = {}, patienceMs = usualPatienceMs }: WorkerOptions) {
  const memory = new MemoryStore();
  const lasting = store === 'browser' ? new BrowserStore(new IndexedDbStore(), memory, patienceMs ?? undefined) : null;
  const isLasting = async () => lasting?.isLasting() ?? false;
  return { backend: lasting ?? memory, isLasting, threads, connections: new Map(Object.entries(connect)) };
}

const worker = {
  open: (options: WorkerOptions) => Comlink.proxy(pageTrainer(partsOf(options))),

  async openPolicy(file: Uint8Array, name: string, device: DeviceName | null, options: WorkerOptions) {
    const { engines, devices } = pageEngines(partsOf(options));
    devices.ask(device);
    return Comlink.proxy(await LoadedPolicy.open(engines, policyRun(file, name), name));
  },
};
export type LibraryWorker = typeof worker;

Comlink.expose(worker);
