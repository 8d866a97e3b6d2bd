/** Collects the choices of one measurement: all its parts add to the same object, so none replaces another's. */
import { type Candidate, fastest } from '../../device/autotune.ts';
import type { Device, Recorder } from '../../device/device.ts';
import { defaultChoices, type FormTimes, type KernelChoice, type KernelChoices } from './kernel-choices.ts';

export class FormChooser {
  /** Choices found so far; the others are defaults. */
  readonly choices: KernelChoices = { ...defaultChoices };

  /** `times` receives the measured times. `compare`: measures the forms of one choice. */
  constructor(
    readonly device: Device,
    private readonly times: FormTimes = new Map(),
    private readonly compare = fastest,
  ) {}

  /** Finds the fastest of some forms, named as in `kernelForms`. */
  async choose(choice: KernelChoice, recorder: Recorder, candidates: readonly Candidate[]): Promise<void> {
    const { name, times } = await this.compare(this.device.kernels, recorder, candidates);
    this.times.set(choice, times);
    Object.assign(this.choices, { [choice]: name });
  }
}
