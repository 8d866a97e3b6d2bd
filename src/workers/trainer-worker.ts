/**
 * The trainer's worker: owns the GPU device, serves `TrainerApi` to the page over comlink, and starts the worlds'
 * workers. session/service/trainer-service.ts does the work; `page-trainer.ts` connects it to the browser.
 */
import * as Comlink from 'comlink';
import { oneThreadName } from '../session/protocol.ts';
import { BrowserStore } from '../store/browser.ts';
import { IndexedDbStore } from '../store/indexeddb.ts';
import { MemoryStore } from '../store/memory.ts';
import { pageTrainer } from './page-trainer.ts';

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

Comlink.expose(pageTrainer({ backend, isLasting: () => backend.isLasting(), threads }));
