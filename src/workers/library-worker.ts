/** The trainer's worker of the library: as the page's own (`trainer-worker.ts`), with options from the page. */
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
  connect?: { [world: string]: ConnectionSettings };
}

/** Time after which a browser that neither opens a database nor refuses it is taken to deny storage. */
const patienceMs = 5000;

function partsOf({ threads, store, connect = {} }: WorkerOptions) {
  const memory = new MemoryStore();
  const lasting = store === 'browser' ? new BrowserStore(new IndexedDbStore(), memory, patienceMs) : null;
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
