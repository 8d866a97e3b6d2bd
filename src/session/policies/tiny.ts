/** A tiny policy: trained on the GPU, or watched on the ONNX runtime if there is no GPU. */
import { type Device, DeviceUnavailableError } from '../../device/device.ts';
import { algorithmsOf, capacityOf, updateSizesOf } from '../../experiment/sizes.ts';
import { type ModelConfig, writeConfig } from '../../policy/config.ts';
import { sharedPages } from '../../policy/engine/generation/cache-pages.ts';
import { saveCheckpoint } from '../../policy/formats/checkpoint.ts';
import { freshState, parametersOf } from '../../policy/moments.ts';
import { keptBytesWithin, planBuffers, totalBytes } from '../../policy/plan/buffers.ts';
import type { PlannedBuffer } from '../../policy/plan/planned-buffer.ts';
import type { Capacity } from '../../policy/policy.ts';
import type { Tokenizer } from '../../policy/text/tokenizer.ts';
import { grownTensors } from '../../policy/weights/grow.ts';
import { initTiny } from '../../policy/weights/init.ts';
import { readsReference } from '../../rl/algorithms/registry.ts';
import { decodeState, encodeState, REFERENCE } from '../checkpoint.ts';
import { memoryBudget, planReport } from '../device/plan-report.ts';
import type { OpenOptions } from '../engine.ts';
import { storedConfig } from '../stored-json.ts';
import { ActingEngine } from './acting-engine.ts';
import { bytesOf, keptFiles, textOf } from './kept-files.ts';
import type { ExperimentOf, SessionPolicy, Start } from './kind.ts';
import { type OpenedRun, openRun, openTrainer } from './open-trainer.ts';
import { plannedTeachers, type ReadTeacher, teachersIn } from './teachers.ts';
import { readTiny } from './tiny-import.ts';

type Tiny = ExperimentOf<'tiny'>;

export function modelConfigOf(
  { policy, sampling }: Pick<Tiny, 'policy' | 'sampling'>,
  tokenizer: Tokenizer,
): ModelConfig {
  return {
    modelType: policy.qkNorm ? 'qwen3' : policy.qkvBias ? 'qwen2' : 'llama',
    vocabSize: tokenizer.vocabSize,
    hiddenSize: policy.hidden,
    intermediateSize: policy.intermediate,
    numLayers: policy.layers,
    numHeads: policy.heads,
    numKvHeads: policy.kvHeads,
    headDim: policy.headDim,
    rmsNormEps: 1e-6,
    ropeTheta: policy.ropeTheta,
    ropeScaling: null,
    maxPosition: sampling.promptTokens + sampling.completionTokens,
    tieWordEmbeddings: policy.tieEmbeddings,
    qkvBias: policy.qkvBias,
    qkNorm: policy.qkNorm,
    bosToken: tokenizer.id('<bos>'),
    eosTokens: [tokenizer.id('<eot>')],
  };
}

const tinyCapacity = (experiment: Tiny): Capacity => sharedPages(capacityOf(experiment), experiment.policy.kvShare);

/** True if an algorithm of the run reads reference weights, so that a copy of the first weights is kept. */
const copiesReference = (experiment: Tiny) => algorithmsOf(experiment).some(readsReference);

function planned(
  experiment: Tiny,
  config: ModelConfig,
  { capacity, teachers }: { capacity: Capacity; teachers: readonly ReadTeacher[] },
  gpu: Device | null,
): { buffers: PlannedBuffer[]; keptBytes: number } {
  const options = {
    ...updateSizesOf(experiment),
    trainable: true,
    reference: copiesReference(experiment),
    blockBytes: gpu?.bindingBytes ?? 128 * 2 ** 20,
    timingBytes: gpu?.timingBytes,
    sharesMemory: gpu?.sharesMemory,
  };
  const others = plannedTeachers(teachers, capacity, gpu);
  const keptBytes = keptBytesWithin(memoryBudget(gpu) - totalBytes(others), config, capacity, options);
  return { buffers: [...planBuffers(config, capacity, { ...options, keptBytes }), ...others], keptBytes };
}

const initialOf = ({ policy, seed }: Tiny, config: ModelConfig, tokenizer: Tokenizer) =>
  initTiny(config, policy, seed, tokenizer.tokenTexts());

function startOf(experiment: Tiny, { tokenizer }: OpenedRun): Start {
  const copied = copiesReference(experiment);
  return {
    initial: (config) => initialOf(experiment, config, tokenizer),
    copiesReference: copied,
    // Without a copy, the weights before the first update are the reference.
    reference: async (learner) =>
      copied ? learner.save({ reference: true }) : freshState((await learner.save()).tensors),
  };
}

/** null: there is no device, and the run is only watched. */
const deviceFor = (
  device: ReturnType<Parameters<SessionPolicy<'tiny'>['open']>[2]['device']>,
  { purpose }: OpenOptions,
) =>
  device.catch((error) => {
    if (purpose === 'watch' && error instanceof DeviceUnavailableError) return null;
    throw error;
  });

/** An engine that plays the run's own weights without a GPU. */
function actor(run: OpenedRun, experiment: Tiny, options: OpenOptions): ActingEngine {
  const { config } = run;
  const source = (tensors: ReturnType<typeof parametersOf>) => ({ config, tensors: parametersOf(tensors) });
  return new ActingEngine({
    ...options,
    ...run,
    experiment,
    backend: 'wasm',
    config: bytesOf(writeConfig(config)),
    initial: async () => source(initialOf(experiment, config, run.tokenizer)),
    restored: ({ tensors }) => source(tensors),
  });
}

export const tiny: SessionPolicy<'tiny'> = {
  async plan(experiment, { device, tokenizers }, assets) {
    const gpu = await device().catch(() => null);
    const config = modelConfigOf(experiment, await tokenizers.of(experiment, null));
    const parts = { capacity: tinyCapacity(experiment), teachers: teachersIn(experiment, assets, true) };
    return planReport(planned(experiment, config, parts, gpu).buffers, gpu);
  },

  async open(experiment, options, services) {
    const gpu = await deviceFor(services.device({ toTrain: options.purpose === 'train' }), options);
    const { assets } = options;
    const configOf = (tokenizer: Tokenizer) => {
      const stored = assets?.['config.json'];
      return stored ? storedConfig(stored) : modelConfigOf(experiment, tokenizer);
    };
    return openRun(
      experiment,
      options,
      services,
      { assets, configOf, capacityOf: () => tinyCapacity(experiment) },
      (run) => {
        if (!gpu) return actor(run, experiment, options);
        const teachers = teachersIn(experiment, options.assets, options.purpose === 'watch');
        const { buffers, keptBytes } = planned(experiment, run.config, { capacity: run.capacity, teachers }, gpu);
        const plan = planReport(buffers, gpu);
        const start = startOf(experiment, run);
        const weights = {
          ...updateSizesOf(experiment),
          weights: start.initial(run.config),
          keptBytes,
          trainable: true,
          frozenEmbeddings: experiment.policy.frozenEmbeddings,
          reference: start.copiesReference,
        };
        return openTrainer({ gpu, experiment, options, services, run, plan, weights, start, teachers });
      },
    );
  },

  export(_, kept) {
    const { config, tensors, tokenizer } = keptFiles(kept);
    const saved = saveCheckpoint(config, tensors, textOf(tokenizer));
    return {
      'config.json': bytesOf(saved['config.json']),
      'model.safetensors': saved['model.safetensors'],
      'tokenizer.json': tokenizer,
    };
  },

  import: readTiny,

  grow({ policy, seed }, { checkpoint, assets }) {
    const config = { ...storedConfig(assets['config.json']), numLayers: policy.layers };
    const grow = (bytes: Uint8Array) =>
      encodeState({
        tensors: grownTensors(config, decodeState(bytes, 0).tensors, policy, seed),
        optimizerStep: 0,
      });
    const reference = assets[REFERENCE];
    return {
      checkpoint: grow(checkpoint),
      assets: {
        ...assets,
        'config.json': bytesOf(writeConfig(config)),
        ...(reference && { [REFERENCE]: grow(reference) }),
      },
    };
  },
};
