/** Trains stored runs on the processor. */
import { WasmDevice } from '../../src/device/wasm/device.ts';
import type { Experiment } from '../../src/experiment/experiment.ts';
import type { StepRecord } from '../../src/session/protocol.ts';
import { Session } from '../../src/session/run/session.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import type { RunStore } from '../../src/store/run-store.ts';
import { openWorld } from '../../src/worlds/registry.ts';

/** Trains this many steps of a run, and returns the records of all its steps. */
export async function trainOn(store: RunStore, id: string, steps: number): Promise<readonly StepRecord[]> {
  const { experiment } = await store.get<Experiment>(id);
  const device = await WasmDevice.open();
  const engines = new Assembly({ machine: { open: async () => device }, openWorld });
  const session = new Session(id, experiment, { store, engines, emit: () => {} });
  await session.train({ steps });
  await session.close();
  device.destroy();
  return store.records<StepRecord>(id);
}
