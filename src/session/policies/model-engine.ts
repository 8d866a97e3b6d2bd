/** The engine that trains: a model on the GPU, a trainer, and the worlds of a run. */
import type { Device, KernelTime } from '../../device/device.ts';
import { writeConfig } from '../../policy/config.ts';
import type { Model } from '../../policy/engine/model.ts';
import { runSizes } from '../../policy/engine/run-sizes.ts';
import { freshState } from '../../policy/moments.ts';
import type { PolicyState } from '../../policy/policy.ts';
import type { Tokenizer } from '../../policy/text/tokenizer.ts';
import type { TurnEvent } from '../../rl/episode/turn-event.ts';
import type { TrainerProgress } from '../../rl/evaluator.ts';
import type { Trainer } from '../../rl/trainer.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { chatAssets } from '../chat-assets.ts';
import type { CompletionPolicy } from '../completion.ts';
import { adapterName } from '../device/gpu-report.ts';
import { measuredForms } from '../device/kernel-memory.ts';
import type { Choices, Engine, OpenOptions, StepOptions, Training, WatchOptions } from '../engine.ts';
import { closeWorlds, type Worlds } from '../opened-worlds.ts';
import type { Start } from './kind.ts';
import { liveTurn, watchEpisode } from './live-turn.ts';
import type { LoadedTeacher } from './teachers.ts';

export interface ModelEngineParts {
  gpu: Device;
  model: Model;
  trainer: Trainer;
  /** Policies that teach the run. */
  teachers: ReadonlyMap<string, LoadedTeacher>;
  start: Start;
  worlds: Worlds;
  /** Sandbox that runs the experiment's own objective. */
  sandbox?: Sandbox;
  tokenizer: Tokenizer;
  assets: OpenOptions['assets'];
}

const encode = (text: string) => new TextEncoder().encode(text);

export class ModelEngine implements Engine {
  readonly choices: Choices;
  readonly assets: { [name: string]: Uint8Array };
  readonly training: Training;

  constructor(private readonly parts: ModelEngineParts) {
    const { gpu, model, trainer, tokenizer, assets } = parts;
    this.assets = {
      ...chatAssets(assets),
      'tokenizer.json': encode(JSON.stringify(tokenizer.json)),
      'config.json': encode(writeConfig(model.config)),
    };
    const batchPlan = { capacity: model.capacity };
    this.choices = { kernelChoices: { ...model.ops.choices }, batchPlan, adapter: adapterName(gpu) };
    this.training = {
      step: (step, options) => trainer.step(step, forTrainer(options)),
      imitate: (step, options) => trainer.imitate(step, options),
      save: (options) => this.save(options),
      alternatives: (step, trajectory, position) => trainer.scoreAlternatives(step, trajectory, position),
      compare: (...asked) => this.compare(...asked),
      play: (request, signal) => trainer.evaluator.playRequest(request, signal),
      repeat: (step, trajectories) => trainer.repeat(step, trajectories),
      examine: (step, trajectories, loadAfter) => trainer.examine(step, trajectories, loadAfter),
    };
  }

  evaluate(step: number, options: StepOptions) {
    return this.parts.trainer.evaluator.evaluate(step, forTrainer(options));
  }

  suite(...[suite, sampling, options]: Parameters<NonNullable<Engine['suite']>>) {
    const { kept, onItems } = options;
    return this.parts.trainer.evaluator.suite(suite, sampling, { ...forTrainer(options), kept, onItems });
  }

  async completionPolicy(): Promise<CompletionPolicy> {
    const { model, trainer } = this.parts;
    return { policy: model, conversation: trainer.evaluator.conversation };
  }

  watch(watching: WatchOptions, options: StepOptions): Promise<void> {
    return watchEpisode(this.parts.trainer.evaluator, watching, options);
  }

  /** A policy that keeps no reference loads the first weights where an algorithm reads them. */
  private compare(...[step, trajectories, choices, { now, reference }]: Parameters<NonNullable<Training['compare']>>) {
    const { model, trainer, start } = this.parts;
    // An adapter's reference is its base model, which is always there and has no weights of its own.
    const isHeld = start.copiesReference || reference?.tensors.size === 0;
    const swapped = !isHeld && reference && { first: () => model.load(reference), now: () => model.load(now) };
    const hasReference = isHeld || reference !== null;
    return trainer.compare(step, trajectories, choices, { hasReference, ...(swapped && { reference: swapped }) });
  }

  private save(options?: { reference?: boolean }): Promise<PolicyState> {
    const { model, start } = this.parts;
    return options?.reference ? start.reference(model) : model.save();
  }

  async load(state: PolicyState, options?: { reference?: boolean }): Promise<void> {
    if (!options?.reference || this.parts.start.copiesReference) await this.parts.model.load(state, options);
  }

  async initialize(): Promise<void> {
    const { model, start } = this.parts;
    await model.load(freshState(start.initial(model.config)));
    if (start.copiesReference) await model.freezeReference();
  }

  failure(): Error | null {
    return this.parts.gpu.failure;
  }

  get survivesSleep(): boolean {
    return this.parts.gpu.survivesSleep;
  }

  setGate(gate: (() => Promise<void>) | null): void {
    for (const each of [this.parts.model, ...this.parts.teachers.values()]) each.setGate(gate);
  }

  /** Also starts timing of the next dispatches, whose times appear in the next report. */
  async report(): ReturnType<Engine['report']> {
    const { gpu, model } = this.parts;
    const { perKernel } = model.recorder;
    const times = (await model.recorder.times()) ?? new Map<string, KernelTime>();
    const code = new Map(gpu.kernels.all().map((kernel) => [kernel.name, kernel.code]));
    const kernels = [...perKernel].map(([name, dispatches]) => ({
      name,
      dispatches,
      ms: estimate(dispatches, times.get(name)),
      wgsl: code.get(name) ?? '',
    }));
    kernels.sort((a, b) => b.dispatches - a.dispatches);
    const sizes = runSizes(model.config, model.capacity, model.options, gpu.bindingBytes);
    return {
      memory: [...model.memory(), ...this.teacherMemory()],
      kernels,
      forms: measuredForms(gpu, sizes, model.ops.choices),
    };
  }

  /** Bytes of the teachers as one part. */
  private teacherMemory(): { name: string; bytes: number }[] {
    const parts = [...this.parts.teachers.values()].flatMap((teacher) => teacher.memory());
    return parts.length ? [{ name: 'teacher', bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) }] : [];
  }

  async close(): Promise<void> {
    for (const teacher of this.parts.teachers.values()) teacher.destroy();
    this.parts.model.destroy();
    await this.parts.sandbox?.close();
    await closeWorlds(this.parts.worlds);
  }
}

/** Estimated milliseconds of all dispatches of a kernel, from the mean of the timed ones. */
function estimate(dispatches: number, time: KernelTime | undefined): number | null {
  return time ? (dispatches * time.ms) / time.timed : null;
}

/** The first trajectory of a step is shown live. */
function forTrainer({ signal, onTurn, onProgress, onNotice, now }: StepOptions) {
  return {
    signal,
    now,
    onNotice,
    onTurn: async (event: TurnEvent & { step: number }) => {
      if (event.group === 0 && event.member === 0) onTurn?.(await liveTurn(event));
    },
    onProgress: (progress: TrainerProgress | null) => onProgress?.(progress),
  };
}
