/**
 * Mutated adapter folders, read as `train --from` and `loadAdapter` read them, and by PEFT. Compared is the change of
 * each weight of the model: PEFT's after merge_and_unload, ours as scale B A.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { returnedRun } from '../../../src/cli/returning.ts';
import type { Experiment } from '../../../src/experiment/experiment.ts';
import { type ModelConfig, parameterShapes, parseConfig } from '../../../src/policy/config.ts';
import { ModelWeights } from '../../../src/policy/engine/model-weights.ts';
import { type Adapter, loadAdapter } from '../../../src/policy/formats/peft.ts';
import { writeSafetensors } from '../../../src/policy/formats/safetensors.ts';
import { type LoraConfig, loraScale, projectionModule, projections } from '../../../src/policy/weights/adapter.ts';
import { normals } from '../../../src/policy/weights/init.ts';
import { decodeState } from '../../../src/session/checkpoint.ts';
import { draftOf, mutated } from './adapter-mutations.ts';
import { Choices, type FormatPart, type Reading } from './part.ts';

const config = {
  architectures: ['Qwen2ForCausalLM'],
  model_type: 'qwen2',
  vocab_size: 40,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 3,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 8,
  max_position_embeddings: 64,
  tie_word_embeddings: false,
  use_sliding_window: false,
};
const model: ModelConfig = parseConfig(config);

function writeBase(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const tensors = new Map(
    [...parameterShapes(model)].map(([name, shape]) => {
      const size = shape.reduce((a, b) => a * b, 1);
      return [name, { shape, data: normals(size, 3, name, 0.3) }] as const;
    }),
  );
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'model.safetensors'), writeSafetensors(tensors, { format: 'pt' }));
}

/** scale B A for each projection, in double precision; zeros without an adapter. */
function changesOf({ lora, tensors }: Adapter): Reading {
  const shapes = parameterShapes(model);
  const changes: { [name: string]: readonly number[] | string } = { others: 'unchanged' };
  for (let layer = 0; layer < model.numLayers; layer++)
    for (const projection of projections) {
      const module = projectionModule(layer, projection);
      const [outputs, inputs] = shapes.get(`${module}.weight`)!;
      const [A, B] = ['A', 'B'].map((which) => tensors.get(`base_model.model.${module}.lora_${which}.weight`));
      const change = new Array<number>(outputs * inputs).fill(0);
      if (A && B)
        for (let at = 0; at < change.length; at++)
          for (let r = 0; r < lora.rank; r++)
            change[at] +=
              loraScale(lora) * B.data[Math.floor(at / inputs) * lora.rank + r] * A.data[r * inputs + (at % inputs)];
      changes[module] = change;
    }
  return changes;
}

/** A run of `train --from`, checked as on opening its model. */
function fromRun(folder: string): Adapter {
  const run = returnedRun(folder, null);
  const { lora } = (run.experiment as Experiment).policy as { lora: LoraConfig };
  const adapter = { lora, tensors: decodeState(run.checkpoints![0].bytes, 0).tensors };
  const weights = (async function* () {})();
  ModelWeights.check(model, { weights, adapter, trainable: false, reference: false });
  return adapter;
}

const answerOf = (read: () => Adapter) => {
  try {
    return { values: changesOf(read()) };
  } catch (error) {
    return { error: error as Error };
  }
};

function readFolder(folder: string): Reading {
  const files = {
    config: readFileSync(join(folder, 'adapter_config.json'), 'utf8'),
    tensors: new Uint8Array(readFileSync(join(folder, 'adapter_model.safetensors'))),
  };
  const [run, loaded] = [answerOf(() => fromRun(folder)), answerOf(() => loadAdapter(model, files))];
  // An experiment has bounds on rank and alpha, which an adapter by itself has not.
  const isBound = run.error?.name === 'ExperimentError';
  if (!isBound && Boolean(run.error) !== Boolean(loaded.error))
    throw new Error(`--from and loadAdapter differ: ${run.error?.message} and ${loaded.error?.message}`);
  if (run.error) throw run.error;
  const close = (a: unknown, b: unknown) =>
    Object.is(a, b) || Math.abs((a as number) - (b as number)) <= 1e-5 * (1 + Math.abs(a as number));
  for (const [name, values] of Object.entries(run.values!))
    if (Array.isArray(values) && !values.every((value, i) => close(value, loaded.values![name]![i])))
      throw new Error(`--from and loadAdapter read ${name} differently`);
  return run.values!;
}

export const adapters: FormatPart = {
  packages: ['torch', 'transformers==5.24.0', 'peft==0.21.2', 'safetensors'],
  script: 'adapters.py',
  tolerance: 1e-4,
  async open(folder, seed) {
    writeBase(join(folder, 'base'));
    return {
      write(n, at) {
        const choices = new Choices(seed * 1_000_003 + n);
        const draft = draftOf(model, choices);
        const mutations = mutated(draft, choices);
        writeFileSync(join(at, 'adapter_config.json'), JSON.stringify(draft.config));
        writeFileSync(join(at, 'adapter_model.safetensors'), writeSafetensors(draft.tensors, { format: 'pt' }));
        return mutations.join('; ');
      },
      read: async (at) => readFolder(at),
      close: () => {},
    };
  },
};
