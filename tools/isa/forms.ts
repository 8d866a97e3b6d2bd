/**
 * The list of kernel forms, requested by the engine itself: models of several shapes, precisions and adapters are
 * created on a device that only records, once with each form of `kernelForms`. A new form of a kernel is thereby in the
 * list as soon as the engine can choose it.
 */
import type { DeviceInfo } from '../../src/device/device.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { type ModelConfig, parameterShapes, parseConfig } from '../../src/policy/config.ts';
import { type KernelChoice, type KernelChoices, kernelForms } from '../../src/policy/engine/kernel-choices.ts';
import { Model } from '../../src/policy/engine/model.ts';
import type { ModelOptions } from '../../src/policy/engine/model-options.ts';
import { initAdapter } from '../../src/policy/weights/adapter.ts';
import type { WeightPieces } from '../../src/policy/weights/base.ts';
import type { WeightPiece } from '../../src/policy/weights/linear.ts';
import { formatOf, type PackedPrecision, planPacked } from '../../src/policy/weights/packed-layout.ts';
import { emptyRows, symmetric } from '../../src/policy/weights/quantize.ts';
import { capacityFor, lora } from '../model-steps.ts';
import { type Form, RecordingDevice } from './recording-device.ts';

/** A listed model with fewer layers, and with a smaller vocabulary. */
const listed = (id: string, layers: number, vocab: number): ModelConfig =>
  parseConfig({ ...findModel(id).config, num_hidden_layers: layers, vocab_size: vocab });

/** Zeros in place of weights. `symmetricCodes`: packed matrices without a minimum. */
export function zeros(config: ModelConfig, precision: PackedPrecision | 'f32', symmetricCodes = false): WeightPieces {
  const format = (name: string) =>
    symmetricCodes ? symmetric(precision === 'int4' ? 4 : 8) : formatOf(precision as PackedPrecision, name);
  async function* pieces(): AsyncGenerator<WeightPiece> {
    for (const [name, shape] of parameterShapes(config)) {
      const rows = shape.length > 1 ? shape[0] : 1;
      const [length] = shape.slice(-1);
      const at = { name, shape, row: 0, rows };
      if (precision === 'f32' || shape.length === 1)
        yield { kind: 'f32', ...at, values: new Float32Array(rows * length) };
      else yield { kind: 'packed', ...at, packed: emptyRows(format(name), rows, length) };
    }
  }
  const named = [...parameterShapes(config)].filter(([, shape]) => shape.length > 1).map(([name]) => name);
  const formats = symmetricCodes ? new Map(named.map((name) => [name, format(name)])) : undefined;
  return { formats, [Symbol.asyncIterator]: pieces };
}

/**
 * As many settings as the kernel with the most forms has; each form is in at least one of them. One more has the tiles in
 * f16 with an adapter's second product, which no other setting combines.
 */
export function allChoices(): KernelChoices[] {
  const names = Object.keys(kernelForms) as KernelChoice[];
  const most = Math.max(...names.map((name) => kernelForms[name].length));
  const settings = Array.from(
    { length: most },
    (_, i) =>
      Object.fromEntries(names.map((name) => [name, kernelForms[name][i % kernelForms[name].length]])) as KernelChoices,
  );
  const half = settings.find(({ quant_nt_many }) => quant_nt_many === 'tiled-half')!;
  return [...settings, { ...half, lora_up_few: 'fused', lora_up_many: 'fused' }];
}

/** Sizes that are no multiples of four, so that the scalar kernels run. */
const odd = parseConfig({
  ...{ model_type: 'qwen3', vocab_size: 30, hidden_size: 18, intermediate_size: 26, num_hidden_layers: 1 },
  ...{ num_attention_heads: 3, num_key_value_heads: 1, head_dim: 6, tie_word_embeddings: true },
});
const wide = listed('qwen2.5-0.5b', 1, 4096);
const small = listed('smollm2-135m', 1, 4096);

type Options = Omit<ModelOptions, 'capacity' | 'choices'>;

function settings(): [ModelConfig, Options][] {
  const all: [ModelConfig, Options][] = [];
  for (const config of [wide, odd]) {
    const adapter = { lora, tensors: initAdapter(config, lora, 1) };
    all.push([config, { weights: zeros(config, 'f32'), trainable: true, reference: true, critic: 'shared' }]);
    all.push([config, { weights: zeros(config, 'f32'), adapter, trainable: true, reference: false }]);
    all.push([config, { weights: zeros(config, 'f32'), taughtRows: 16, trainable: true, reference: false }]);
    for (const precision of ['int4', 'int8'] as const)
      for (const symmetricCodes of [false, true]) {
        const weights = zeros(config, precision, symmetricCodes);
        const kvCache = symmetricCodes && config === wide ? 'int8' : 'f32';
        all.push([config, { weights, adapter, precision, kvCache, trainable: true, reference: false }]);
      }
  }
  const adapter = { lora, tensors: initAdapter(small, lora, 1) };
  all.push([small, { weights: zeros(small, 'int4'), adapter, precision: 'int4', trainable: true, reference: false }]);
  return all.filter(([config, { precision = 'f32' }]) => precision === 'f32' || canPack(config, precision));
}

function canPack(config: ModelConfig, precision: PackedPrecision): boolean {
  try {
    planPacked(config, precision, 2 ** 31 - 4);
    return true;
  } catch {
    return false;
  }
}

/** Every form that the engine requests on such a device, each once. */
export async function engineForms(info?: Partial<DeviceInfo>): Promise<Form[]> {
  const device = new RecordingDevice(info);
  for (const choices of allChoices())
    for (const [config, options] of settings()) {
      const model = await Model.create(device, config, { ...options, capacity: capacityFor(2048, 256), choices });
      model.destroy();
    }
  return device.forms.sort((a, b) => labelOf(a).localeCompare(labelOf(b)));
}

/** Constants that follow from others, or change neither registers nor loops, are left out of a name. */
const unnamed = new Set(
  'SCALE_F EPS_F STAGED ROW_TURNS KEY_TURNS SUM_TURNS SR RO CO LX LY VK STEP UNROLL ROW_LOADS COLUMN_LOADS'.split(' '),
);

export const labelOf = ({ name, constants, extra }: Form): string =>
  [name, ...Object.entries(constants).flatMap(([key, value]) => (unnamed.has(key) ? [] : [`${key}${value}`]))].join(
    ' ',
  ) + (extra ? ' with an objective' : '');
