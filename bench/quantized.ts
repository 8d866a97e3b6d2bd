/**
 * Measures language models on packed weights: decoding at batch 1, 8 and 32, and training an adapter on 512 and 2,048
 * tokens. On a software adapter it uses fewer layers and shorter runs, as the names state. The floor assumes that each
 * packed byte is read once per token of the batch (decoding) or three times per update (forward, recomputed forward,
 * gradient of the inputs), and counts the arithmetic of these passes.
 */

import { Gpu } from '../src/device/webgpu/device.ts';
import { nodeGpu } from '../src/library/node/gpu.ts';
import { findModel } from '../src/policy/catalogue.ts';
import { type ModelConfig, parseConfig } from '../src/policy/config.ts';
import { measureChoices } from '../src/policy/engine/measure-choices.ts';
import { Model } from '../src/policy/engine/model.ts';
import { runSizes } from '../src/policy/engine/run-sizes.ts';
import { initAdapter } from '../src/policy/weights/adapter.ts';
import { initWeights } from '../src/policy/weights/init.ts';
import { packedWords, planPacked } from '../src/policy/weights/packed-layout.ts';
import { capacityFor, lora, update } from '../tools/model-steps.ts';
import { begin, wholeTurns } from '../tools/turns.ts';
import { type MachineRates, measureMachine, timed } from './machine.ts';

interface QuantizedRow {
  name: string;
  ms: number;
  tokensPerSecond: number;
  gflops: number;
  /** Minimum amount of packed weights read. */
  megabytes: number;
  floorMs: number;
}

export interface QuantizedResult {
  adapter: string;
  machine: MachineRates;
  rows: QuantizedRow[];
}

interface Size {
  name: string;
  config: ModelConfig;
}

const precision = 'int4';
export const promptTokens = 32;

/**
 * A listed model with the given number of layers and a vocabulary of at most the given size; null keeps the model's
 * own.
 */
export function listed(id: string, layers: number | null, vocab: number | null): Size {
  const entry = findModel(id);
  const whole = parseConfig(entry.config);
  const config = parseConfig({
    ...entry.config,
    ...(layers ? { num_hidden_layers: layers } : {}),
    ...(vocab ? { vocab_size: Math.min(vocab, whole.vocabSize) } : {}),
  });
  const cut = [layers && `${layers} of ${whole.numLayers} layers`, vocab && `vocabulary ${config.vocabSize}`];
  return { name: [id, ...cut.filter(Boolean)].join(', '), config };
}

function sizes(isSoftware: boolean): Size[] {
  const tiny: Size = {
    name: 'tiny',
    config: parseConfig({
      model_type: 'qwen3',
      vocab_size: 1024,
      hidden_size: 128,
      intermediate_size: 384,
      num_hidden_layers: 4,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      head_dim: 16,
      tie_word_embeddings: true,
    }),
  };
  if (!isSoftware) return [tiny, listed('smollm2-135m', null, null), listed('qwen2.5-0.5b', null, null)];
  return [tiny, listed('smollm2-135m', 2, 4096), listed('qwen2.5-0.5b', 1, 4096)];
}

class Bench {
  readonly rows: QuantizedRow[] = [];

  constructor(
    private readonly gpu: Gpu,
    private readonly machine: MachineRates,
  ) {}

  private async measure(name: string, model: Model, tokens: number, passes: number, work: () => Promise<unknown>) {
    let flops = 0;
    const ms = await timed(async () => {
      const before = model.counters().flops;
      await work();
      await model.recorder.finish();
      flops = model.counters().flops - before;
    });
    const weights = packedWords(planPacked(model.config, precision, this.gpu.bindingBytes)) * 4;
    const bytes = weights * passes;
    const floorMs = Math.max(flops / this.machine.gflops / 1e6, bytes / this.machine.gigabytesPerSecond / 1e6);
    const row = {
      name,
      ms,
      tokensPerSecond: (1000 * tokens) / ms,
      gflops: flops / ms / 1e6,
      megabytes: bytes / 1e6,
      floorMs,
    };
    this.rows.push(row);
    console.log(
      `  ${name}: ${ms.toFixed(1)} ms, ${row.tokensPerSecond.toFixed(1)} tokens/s, floor ${floorMs.toFixed(1)} ms`,
    );
  }

  async size({ name, config }: Size): Promise<void> {
    const { isFallback } = this.gpu.info;
    const lengths = [512, 2048];
    const weights = initWeights(config, { seed: 1, std: 0.02 });
    const adapter = { lora, tensors: initAdapter(config, lora, 1) };
    const capacity = capacityFor(Math.max(...lengths), promptTokens);
    const sizes = runSizes(config, capacity, { weights, adapter, precision }, this.gpu.bindingBytes);
    const choices = await measureChoices(this.gpu, sizes);
    const options = { capacity, weights, adapter, precision, trainable: true, reference: false, choices } as const;
    const model = await Model.create(this.gpu, config, options);
    try {
      const tokens = isFallback ? 8 : 64;
      for (const batch of [1, 8, 32])
        await this.measure(`${name}: decode, batch ${batch}`, model, batch * tokens, tokens, () =>
          decode(model, batch, tokens),
        );
      for (const T of lengths) await this.measure(`${name}: update, ${T} tokens`, model, T, 3, () => update(model, T));
    } finally {
      model.destroy();
    }
  }
}

/** Decodes a batch; the time includes the prompt's prefill. */
export async function decode(model: Model, batch: number, tokens: number): Promise<void> {
  const slots = Array.from({ length: batch }, (_, slot) => slot);
  await begin(model, [{ prompt: Int32Array.from({ length: promptTokens }, (_, i) => i + 1), slots, rowKeys: slots }]);
  const sampling = { temperature: 1, seed: 1, stream: 0, maxTokens: tokens, stopTokens: [] };
  await wholeTurns(
    model,
    slots.map((slot) => ({ slot, append: new Int32Array(0), constraint: null })),
    sampling,
  );
}

export async function benchQuantized(): Promise<QuantizedResult> {
  const gpu = await Gpu.open(await nodeGpu());
  const machine = await measureMachine(gpu);
  const bench = new Bench(gpu, machine);
  for (const size of sizes(gpu.info.isFallback)) await bench.size(size);
  const { vendor, description, isFallback } = gpu.info;
  gpu.check();
  gpu.destroy();
  return { adapter: `${vendor} ${description}${isFallback ? ' (software)' : ''}`, machine, rows: bench.rows };
}
