/**
 * Trainings inside one process through which faults are thrown: each must end with the numbers of one that was left
 * alone. Engine, world and store are real.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { NodeBaseModels } from '../../src/library/node/base-models.ts';
import { openWorldHere } from '../../src/library/node/worlds.ts';
import type { GpuMachine } from '../../src/session/device/gpu-report.ts';
import type { SessionEvent, StepRecord } from '../../src/session/protocol.ts';
import type { Clock, OtherThread } from '../../src/session/run/freeze-watch.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { Session } from '../../src/session/run/session.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import type { AdapterMemory } from '../../src/store/adapter-memory.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { openSandbox } from '../../src/workers/spawn-sandbox.ts';
import type { Outcome } from './outcome.ts';

export const experiment = parseExperiment({
  ...JSON.parse(readFileSync('experiments/micro.json', 'utf8')),
  steps: 24,
});

export interface Life {
  id: string;
  store: RunStore;
  session: Session;
}

export interface LifeParts {
  machine?: GpuMachine;
  /** Earlier measurements of the kernels. */
  adapters?: AdapterMemory;
  clock?: Clock;
  otherThread?: OtherThread;
  onEvent?(event: SessionEvent): void;
}

export async function begun(folder: string, parts: LifeParts, settings = experiment): Promise<Life> {
  const { machine, adapters, onEvent, clock, otherThread } = parts;
  const store = new RunStore(new FolderStore(folder));
  const { id } = await store.create({ name: 'a run', experiment: settings, origin: { kind: 'new' } });
  const engines = new Assembly({
    machine: machine ?? { open: () => WasmDevice.open({ threads: 1 }) },
    openWorld: (name) => openWorldHere(name),
    models: new NodeBaseModels(),
    openSandbox,
    adapters,
  });
  const session = new Session(id, settings, {
    store,
    engines,
    emit: onEvent ?? (() => {}),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 50))),
    clock,
    otherThread,
  });
  return { id, store, session };
}

/** Records of a finished run, without times, as JSON, and a hash of its last checkpoint. */
async function resultOf({ store, id }: Life): Promise<string> {
  const { bytes } = (await store.checkpoint(id))!;
  const records = (await store.records<StepRecord>(id)).map(withoutTimes);
  return JSON.stringify([records, createHash('sha256').update(bytes).digest('hex')]);
}

/** Trains a run to its end through faults. Returns its result. */
export async function lived(life: Life, train = () => life.session.train()): Promise<string> {
  try {
    for (let tries = 0; life.session.status !== 'finished' && tries < 1000; tries++) await train();
    return await resultOf(life);
  } finally {
    await life.session.close();
  }
}

/** Runs lives, each with faults of its own, until `times` faults were thrown. A life that ends by an error is lost. */
export async function counted(
  times: number,
  what: (runs: number) => string,
  live: (folder: string, left: number, run: number) => Promise<{ faults: number; result: string }>,
  undisturbed: LifeParts = {},
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-faults-'));
  const expected = await lived(await begun(join(folder, 'never'), undisturbed));
  let [tried, lost, run] = [0, 0, 0];
  while (tried < times) {
    const place = join(folder, String(run));
    const { faults, result } = await live(place, times - tried, run++);
    tried += faults;
    if (result !== expected) {
      lost++;
      console.log(`run ${run} differs after ${faults} faults`);
    }
    rmSync(place, { recursive: true, force: true });
  }
  rmSync(folder, { recursive: true, force: true });
  return { what: what(run), tried, lost, accepted: 0 };
}
