/** Parts that the trainer's service is made of. A page, a test and a tool each pass in their own. */
import type { ConnectionSettings } from '../../envs/module.ts';
import type { ModelLibrary } from '../../models/library.ts';
import type { RunStore } from '../../store/run-store.ts';
import type { EngineFactory } from '../engine.ts';
import type { DeviceName } from '../protocol.ts';
import type { OtherThread } from '../run/freeze-watch.ts';
import type { Locks } from './ownership.ts';

export interface ServiceParts {
  store: RunStore;
  engines: EngineFactory;
  locks: Locks;
  /** Chooses the device; absent: there is only one. */
  devices?: { ask(name: DeviceName | null): void };
  presets: readonly unknown[];
  /** Second clock of the freeze watch; absent: a suspended computer is not detected. */
  otherThread?: OtherThread;
  /** Addresses of the worlds' servers, read by the code that opens worlds. */
  connections?: Map<string, ConnectionSettings>;
  /** File of a shipped agent's run by its name; null: there is none. Absent: none can be read here. */
  shippedAgent?(name: string): Promise<Uint8Array | null>;
  /** Language models; absent: none can be loaded here. */
  models?: ModelLibrary;
}
