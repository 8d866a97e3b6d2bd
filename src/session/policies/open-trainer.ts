/**
 * Shared part of the kinds of policy that run on this project's engine: opens a run's worlds, tokenizer, sizes and
 * conversation, and an engine that trains on the GPU.
 */
import { type Device, DeviceUnavailableError } from '../../device/device.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { servedTeachers } from '../../experiment/teacher-names.ts';
import type { ModelConfig } from '../../policy/config.ts';
import { Model } from '../../policy/engine/model.ts';
import type { ModelOptions } from '../../policy/engine/model-options.ts';
import type { WeightOptions } from '../../policy/engine/model-weights.ts';
import { runSizes } from '../../policy/engine/run-sizes.ts';
import type { Capacity } from '../../policy/policy.ts';
import type { Tokenizer } from '../../policy/text/tokenizer.ts';
import type { Conversation } from '../../rl/episode/conversation.ts';
import { conversationOf } from '../../rl/episode/conversation-files.ts';
import type { ServedTeacher, Teacher } from '../../rl/policy-teacher.ts';
import { Trainer } from '../../rl/trainer.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { openRecordings } from '../../trajectories/recorded/recordings.ts';
import { judgeAsker } from '../api/judge.ts';
import { servedTeacher } from '../api/served-teacher.ts';
import { conversationFiles } from '../chat-assets.ts';
import { reportOf, requireHonest } from '../device/gpu-report.ts';
import { chooseKernels } from '../device/kernel-memory.ts';
import type { Engine, OpenOptions } from '../engine.ts';
import { type Worlds, withWorlds } from '../opened-worlds.ts';
import type { MemoryPlanReport } from '../protocol.ts';
import { recordingsIn } from '../run/recording-files.ts';
import type { Services, Start } from './kind.ts';
import { ModelEngine } from './model-engine.ts';
import { type LoadedTeacher, loadTeachers, type ReadTeacher, requireSameTokens } from './teachers.ts';

/** A run with its worlds open, before any computation. */
export interface OpenedRun {
  assets: OpenOptions['assets'];
  worlds: Worlds;
  tokenizer: Tokenizer;
  config: ModelConfig;
  capacity: Capacity;
  conversation: Conversation;
}

/** Files and sizes of a run that depend on its kind of policy. */
export interface RunFiles {
  /** The model's files, replaced by the run's own where both exist. */
  assets: OpenOptions['assets'];
  configOf(tokenizer: Tokenizer): ModelConfig;
  capacityOf(config: ModelConfig): Capacity;
}

/** Opens an engine for a run; closes the worlds if that fails. */
export async function openRun(
  experiment: Experiment,
  { choices, onProgress }: OpenOptions,
  { openWorld, tokenizers }: Services,
  { assets, configOf, capacityOf }: RunFiles,
  make: (run: OpenedRun) => Engine | Promise<Engine>,
): Promise<Engine> {
  onProgress({ what: 'Opening the worlds', done: 0, total: null, unit: 'steps' });
  return withWorlds(experiment, openWorld, async (worlds) => {
    const tokenizer = await tokenizers.of(experiment, assets, worlds);
    const config = configOf(tokenizer);
    const capacity = (choices?.batchPlan.capacity as Capacity | undefined) ?? capacityOf(config);
    const conversation = await conversationOf(tokenizer, conversationFiles(assets, config.eosTokens));
    return make({ assets, worlds, tokenizer, config, capacity, conversation });
  });
}

export interface TrainerParts {
  gpu: Device;
  experiment: Experiment;
  options: OpenOptions;
  services: Services;
  run: OpenedRun;
  plan: MemoryPlanReport;
  weights: WeightOptions & Pick<ModelOptions, 'kvCache' | 'keptBytes' | 'critic' | 'updateRows' | 'taughtRows'>;
  start: Start;
  /** Policies that teach the run. */
  teachers?: readonly ReadTeacher[];
}

/** Rejects with DeviceUnavailableError if the run does not fit into memory. */
export async function openTrainer(parts: TrainerParts): Promise<Engine> {
  const { plan, run, options, start, gpu } = parts;
  if (!plan.fits) throw new DeviceUnavailableError(`This run does not fit on this adapter. ${plan.advice}`);
  requireSameTokens(parts.teachers ?? [], run.tokenizer);
  const model = await openModel(parts);
  // The sandbox's worker starts with the first code that runs.
  const sandbox = parts.services.openSandbox?.();
  const { trainer, teachers } = await testedTrainer(parts, model, sandbox);
  options.onProgress(null);
  return new ModelEngine({ gpu, model, trainer, teachers, start, sandbox, ...run });
}

async function openModel({ gpu, options, services, run, weights }: TrainerParts): Promise<Model> {
  const { onProgress, choices } = options;
  onProgress({ what: 'Choosing kernels for this adapter', done: 0, total: null, unit: 'kernels' });
  const sizes = runSizes(run.config, run.capacity, weights, gpu.bindingBytes);
  return Model.create(gpu, run.config, {
    capacity: run.capacity,
    choices: await chooseKernels(gpu, sizes, choices?.kernelChoices, services.adapters),
    ...weights,
    onProgress: (done, total, kernel) => onProgress({ what: `Compiling ${kernel}`, done, total, unit: 'kernels' }),
  });
}

/** A trainer on kernels that have passed their self-test; the model is released if they fail. */
async function testedTrainer(
  { gpu, experiment, options, run, services, teachers: read = [] }: TrainerParts,
  model: Model,
  runner: Sandbox | undefined,
): Promise<{ trainer: Trainer; teachers: ReadonlyMap<string, LoadedTeacher> }> {
  let teachers: ReadonlyMap<string, LoadedTeacher> = new Map();
  try {
    options.onProgress({ what: 'Testing the kernels', done: 0, total: null, unit: 'kernels' });
    const report = await reportOf(gpu);
    options.onReport?.({ ...report, choice: services.deviceChoice() });
    requireHonest(report);
    const recorded = openRecordings(recordingsIn(experiment, options.assets));
    const ask = judgeAsker(services.modelSettings);
    const elsewhere = services.elsewhere?.(model);
    teachers = await loadTeachers(read, { gpu, capacity: run.capacity, choices: model.ops.choices });
    const served = servedTeachers(experiment).map(
      (named) => [named.text, servedTeacher(named, run.tokenizer, services.modelSettings)] as const,
    );
    const all = new Map<string, Teacher | ServedTeacher>([...teachers, ...served]);
    const parts = { ...run, policy: model, recorded, runner, ask, elsewhere, teachers: all };
    return { trainer: await Trainer.create(experiment, parts), teachers };
  } catch (error) {
    model.destroy();
    for (const teacher of teachers.values()) teacher.destroy();
    throw error;
  }
}
