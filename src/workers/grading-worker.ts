/**
 * Grades handed-in files on the processor, in a worker of its own, so that the page's run is left alone. Relaxed SIMD as
 * in the trainer's worker: a run that was trained there is equal to the bit.
 */
import * as Comlink from 'comlink';
import { type GradingApi, grade } from '../classroom/grade.ts';
import { WasmDevice } from '../device/wasm/device.ts';
import { Assembly } from '../session/service/assembly.ts';
import { openSandbox } from './spawn-sandbox.ts';
import { openGuardedWorld } from './spawn-world.ts';

/** Maximum number of steps of each run that are computed again. */
const steps = 40;

const engines = new Assembly({
  machine: { open: () => WasmDevice.open({ relaxed: true }) },
  openWorld: (name) => openGuardedWorld(name),
  openSandbox,
});

const grader: GradingApi = {
  grade: async (assignment, file, bytes, seed) => {
    return grade(assignment, { file, bytes }, { engines, seed, steps, allowCode: false });
  },
};

Comlink.expose(grader);
