/** A language model with an adapter: the model is loaded and stays frozen, the adapter is trained on the GPU. */
import type { Device } from '../../device/device.ts';
import { updateSizesOf } from '../../experiment/sizes.ts';
import { assetsOf, type BaseModel, NoBaseModelError } from '../../models/base-model.ts';
import { baseNameOf } from '../../models/names.ts';
import { configOf, findModel, UnknownModelError } from '../../policy/catalogue.ts';
import type { ModelConfig } from '../../policy/config.ts';
import { saveAdapter } from '../../policy/formats/peft.ts';
import { freshState, parametersOf } from '../../policy/moments.ts';
import { planBuffers } from '../../policy/plan/buffers.ts';
import type { Capacity } from '../../policy/policy.ts';
import type { Tokenizer } from '../../policy/text/tokenizer.ts';
import { initAdapter } from '../../policy/weights/adapter.ts';
import { isUnplannable } from '../../policy/weights/base.ts';
import { StoreError } from '../../store/run.ts';
import { withOwnConversation } from '../chat-assets.ts';
import { decodeState } from '../checkpoint.ts';
import { memoryBudget, planReport } from '../device/plan-report.ts';
import type { OpenOptions } from '../engine.ts';
import type { MemoryPlanReport } from '../protocol.ts';
import { storedConfig } from '../stored-json.ts';
import { readAdapted } from './adapted-import.ts';
import {
  type Adapted,
  adaptedCapacity,
  ContextLengthError,
  changeOf,
  contextProblem,
  LANGUAGE_MODEL_BUDGET,
  loraOf,
  planOptionsFor,
} from './adapted-plan.ts';
import { bytesOf } from './kept-files.ts';
import type { Services, SessionPolicy, Start } from './kind.ts';
import { openRun, openTrainer } from './open-trainer.ts';

const baseOf = ({ policy }: Adapted, { modelsFor }: Services): Promise<BaseModel> =>
  modelsFor(policy).open(policy.model, policy.weights);

/** Sizes of a model: its config, and the formats of its file if the file was looked up. */
type Sized = Pick<BaseModel, 'config' | 'formats'>;

/** The config of a listed model is known before its files are looked up. */
async function sizedFor(experiment: Adapted, services: Services): Promise<Sized> {
  try {
    return { config: configOf(findModel(experiment.policy.model)) };
  } catch (error) {
    if (!(error instanceof UnknownModelError)) throw error;
    return baseOf(experiment, services);
  }
}

/** The plan, and the bytes that it has for activations of kept layers. */
interface Planned {
  report: MemoryPlanReport;
  keptBytes: number;
}

function planned(experiment: Adapted, { config, formats }: Sized, capacity: Capacity, gpu: Device | null): Planned {
  const blockBytes = gpu?.bindingBytes ?? 128 * 2 ** 20;
  const budget = memoryBudget(gpu, LANGUAGE_MODEL_BUDGET);
  const change = () => changeOf(experiment, config, blockBytes, { formats, totalBytes: budget });
  const advice = { budget, change };
  try {
    const { timingBytes, sharesMemory } = gpu ?? {};
    const device = { blockBytes, formats, timingBytes, sharesMemory, mostBytes: budget };
    const options = planOptionsFor(experiment, config, capacity, device);
    const buffers = planBuffers(config, capacity, options);
    const report = planReport(buffers, gpu, { ...advice, problem: contextProblem(experiment, config) });
    return { report, keptBytes: options.keptBytes };
  } catch (error) {
    if (!isUnplannable(error)) throw error;
    return { report: planReport([], gpu, { ...advice, problem: error.message.replace(/\.$/, '') }), keptBytes: 0 };
  }
}

/** The reference is the base model without the adapter, which is loaded anyway, so the run stores no reference. */
const startOf = ({ policy, seed }: Adapted): Start => ({
  initial: (config) => initAdapter(config, loraOf(policy), seed),
  copiesReference: false,
  reference: async () => freshState(new Map()),
});

function weightsOf(experiment: Adapted, base: BaseModel, start: Start, config: ModelConfig, options: OpenOptions) {
  const { policy } = experiment;
  const { signal, onProgress } = options;
  const what = `Loading ${baseNameOf(policy.model).name}`;
  return {
    ...updateSizesOf(experiment),
    weights: base.pieces({ signal, onProgress: (done, total) => onProgress({ what, done, total, unit: 'bytes' }) }),
    precision: policy.weights,
    kvCache: policy.kvCache,
    adapter: { lora: loraOf(policy), tensors: start.initial(config) },
    trainable: true,
    reference: false,
  };
}

/** Throws NoBaseModelError if the model has no config, or no rows for some tokens of the run's own tokenizer. */
function configIn(assets: { [name: string]: Uint8Array }, { policy }: Adapted, tokenizer: Tokenizer): ModelConfig {
  const stored = assets['config.json'];
  if (!stored) throw new NoBaseModelError(`The language model ${policy.model} has no config.json.`);
  const config = storedConfig(stored);
  if (tokenizer.vocabSize <= config.vocabSize) return config;
  const rows = `but ${policy.model} has rows for ids up to ${config.vocabSize - 1}`;
  const last = tokenizer.vocabSize - 1;
  if (!tokenizer.json.added_tokens?.some(({ id }) => id === last) && tokenizer.isAdded(last))
    throw new NoBaseModelError(
      `tokenizer_config.json adds the special token ${tokenizer.token(last)} with the id ${last}, ${rows}. Take it out of ` +
        'tokenizer_config.json.',
    );
  throw new NoBaseModelError(
    `The adapter's own tokenizer.json has ids up to ${last}, ${rows}: the adapter was trained beside a model with more ` +
      'tokens. Name that model in its adapter_config.json (base_model_name_or_path).',
  );
}

export const adapted: SessionPolicy<'lora'> = {
  async plan(experiment, services) {
    const gpu = await services.device().catch(() => null);
    const sized = await sizedFor(experiment, services);
    return planned(experiment, sized, adaptedCapacity(experiment, sized.config), gpu).report;
  },

  async open(experiment, options, services) {
    const gpu = await services.device();
    const base = await baseOf(experiment, services);
    const assets = withOwnConversation(assetsOf(base), options.assets);
    const files = {
      assets,
      configOf: (tokenizer: Tokenizer) => configIn(assets, experiment, tokenizer),
      capacityOf: (config: ModelConfig) => adaptedCapacity(experiment, config),
    };
    return openRun(experiment, options, services, files, (run) => {
      const sized = { config: run.config, formats: base.formats };
      const { report: plan, keptBytes } = planned(experiment, sized, run.capacity, gpu);
      if (contextProblem(experiment, run.config)) throw new ContextLengthError(plan.advice);
      const start = startOf(experiment);
      const weights = { ...weightsOf(experiment, base, start, run.config, options), keptBytes };
      return openTrainer({ gpu, experiment, options, services, run, plan, weights, start });
    });
  },

  export(policy, { checkpoint, config, tokenizer, chat }) {
    if (!checkpoint) throw new StoreError('This run has no policy yet: train at least its first step.');
    const tensors = parametersOf(decodeState(checkpoint, 0).tensors);
    const base = { ...baseNameOf(policy.model), key: policy.model };
    // An imported adapter that was not opened yet has no model's config.json.
    const model = config ? storedConfig(config) : null;
    const files = saveAdapter(model, { lora: loraOf(policy), tensors }, base);
    return {
      ...files,
      'adapter_config.json': bytesOf(files['adapter_config.json']),
      ...(tokenizer && { 'tokenizer.json': tokenizer }),
      ...chat,
    };
  },

  import: readAdapted,
};
