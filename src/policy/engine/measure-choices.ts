/**
 * Chooses the form of each kernel of a run by measuring its forms at the run's sizes, within `measuredMs`. What was
 * measured before is not measured again. A choice that the time did not reach keeps the form that a GPU is expected to run
 * fastest, and is measured in the next opening.
 */
import { type Candidate, type FormTime, FormTimer, fastestOf } from '../../device/autotune.ts';
import type { Device, KernelCache, KernelHandle, Recorder } from '../../device/device.ts';
import { firstTrials, formsOf, laterTrials } from './form-trials.ts';
import {
  expectedChoices,
  type FormTimes,
  type KernelChoices,
  type MeasuredForm,
  processorChoices,
  softwareChoices,
  timesKey,
} from './kernel-choices.ts';
import { MeasuredBuffers } from './measured-buffers.ts';
import type { RunSizes } from './run-sizes.ts';
import type { Trial } from './trial.ts';

/** Most time that is waited for the kernels of all forms to compile, beside the time of the measurement. */
const compiledMs = 3000;

/** Makes what times the work that a recorder records. */
export type MakeTimer = (recorder: Recorder) => Pick<FormTimer, 'measure'>;

/** A form whose kernels have been requested. */
interface Requested extends Candidate {
  kernels: readonly KernelHandle[];
}

/** The kernels of a device; keeps the handles that are requested through it. */
const keptRequests = (kernels: KernelCache, kept: KernelHandle[]): KernelCache => ({
  request: (...kernel) => {
    const handle = kernels.request(...kernel);
    kept.push(handle);
    return handle;
  },
  settle: (...options) => kernels.settle(...options),
  all: () => kernels.all(),
});

/**
 * Adds measured times to `times`. Software adapters are not measured, because their best forms are known. `makeTimer`:
 * replaced in tests.
 */
export async function measureChoices(
  device: Device,
  sizes: RunSizes,
  times: FormTimes = new Map(),
  makeTimer?: MakeTimer,
): Promise<KernelChoices> {
  if (!device.compiles) return processorChoices;
  if (device.info.isFallback) return softwareChoices(device.info);
  return measuredChoices(device, sizes, times, makeTimer);
}

/** As `measureChoices`, on any device with kernels to compile. */
export async function measuredChoices(
  device: Device,
  sizes: RunSizes,
  times: FormTimes,
  makeTimer?: MakeTimer,
): Promise<KernelChoices> {
  const measurement = new Measurement(device, sizes, times, makeTimer);
  try {
    await measurement.choose(firstTrials(sizes));
    await measurement.choose(laterTrials(sizes, measurement.choices));
    return measurement.choices;
  } finally {
    measurement.close();
  }
}

/** The choices of a run's kernels with what is known of them, for people to read. */
export function measuredForms(sizes: RunSizes, choices: KernelChoices, times: FormTimes): MeasuredForm[] {
  return [...firstTrials(sizes), ...laterTrials(sizes, choices)].map((trial) => ({
    choice: trial.choice,
    form: choices[trial.choice],
    sizes: trial.sizes,
    times: times.get(timesKey(trial.choice, trial.sizes)) ?? null,
  }));
}

class Measurement {
  readonly choices: KernelChoices;
  private readonly recorder;
  private readonly timer: ReturnType<MakeTimer>;
  private buffers: MeasuredBuffers | null = null;
  private compileMs = compiledMs;

  constructor(
    private readonly device: Device,
    private readonly sizes: RunSizes,
    private readonly times: FormTimes,
    makeTimer: MakeTimer = (recorder) => new FormTimer(recorder),
  ) {
    this.choices = expectedChoices(device);
    this.recorder = device.createRecorder(256, 5e9);
    this.timer = makeTimer(this.recorder);
  }

  /** Takes what is known of some choices, and measures the rest. */
  async choose(trials: readonly Trial[]): Promise<void> {
    const key = ({ choice, sizes }: Trial) => timesKey(choice, sizes);
    const open = trials.filter((trial) => !this.times.has(key(trial)));
    if (open.length > 0) await this.measure(open, (trial, found) => this.times.set(key(trial), found));
    for (const trial of trials) {
      const form = fastestOf(this.times.get(key(trial)) ?? []);
      if (form) Object.assign(this.choices, { [trial.choice]: form });
    }
  }

  private async measure(trials: readonly Trial[], keep: (trial: Trial, times: FormTime[]) => void): Promise<void> {
    const buffers = await this.described();
    const requested = trials.map((trial) => this.request(trial, buffers));
    const start = performance.now();
    await this.device.kernels.settle(undefined, this.compileMs);
    this.compileMs = Math.max(0, this.compileMs - (performance.now() - start));
    for (const [i, trial] of trials.entries()) {
      if (requested[i].some(({ kernels }) => kernels.some(({ isReady }) => !isReady))) continue;
      const times = await this.timer.measure(requested[i]);
      if (times) keep(trial, times);
    }
  }

  /** Starts to compile all forms of a trial. */
  private request(trial: Trial, buffers: MeasuredBuffers): Requested[] {
    const { device, recorder, choices } = this;
    return formsOf(trial.choice, choices[trial.choice], this.sizes, device).map((name) => {
      const kernels: KernelHandle[] = [];
      const cache = keptRequests(device.kernels, kernels);
      const formChoices = { ...choices, [trial.choice]: name };
      const record = (from: KernelCache) => trial.record({ kernels: from, recorder, buffers, choices: formChoices });
      recorder.dry = true;
      record(cache);
      recorder.dry = false;
      return { name, kernels, record: () => record(device.kernels) };
    });
  }

  private async described(): Promise<MeasuredBuffers> {
    if (this.buffers) return this.buffers;
    const buffers = await MeasuredBuffers.create(this.device, this.sizes);
    this.buffers = buffers;
    for (const trial of [buffers.training, buffers.decoding]) trial.describe(this.recorder);
    return buffers;
  }

  close(): void {
    this.recorder.destroy();
    this.buffers?.destroy();
  }
}
