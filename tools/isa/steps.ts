/**
 * The calls of an update and of a decoding step of Qwen2.5-0.5B (int4 weights, an adapter of rank 16 on all
 * projections), recorded from the engine on a device without hardware.
 */
import type { DeviceInfo } from '../../src/device/device.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { type ModelConfig, parseConfig } from '../../src/policy/config.ts';
import { expectedChoices, type KernelChoices } from '../../src/policy/engine/kernel-choices.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { totalBytes } from '../../src/policy/plan/buffers.ts';
import { adapterProductBytes, keptLayerBytes } from '../../src/policy/plan/layer-buffers.ts';
import { sizesOf } from '../../src/policy/plan/sizes.ts';
import { initAdapter } from '../../src/policy/weights/adapter.ts';
import { capacityFor, lora, update } from '../model-steps.ts';
import { begin } from '../turns.ts';
import { zeros } from './forms.ts';
import { type Call, RecordingDevice } from './recording-device.ts';

/** Assumed: the forms that a GPU with subgroups is expected to choose. */
export const gpuChoices = expectedChoices(new RecordingDevice());

/** Default tokens of an update, in sequences of 256 of which the second half is scored. */
export const updateTokens = 2048;
const promptTokens = 256;
const decodedRows = [1, 8, 32] as const;

export interface Step {
  name: string;
  calls: Call[];
}

/** The calls of the second of two tokens, without those of the prompt. */
async function decode(model: Model, device: RecordingDevice, rows: number): Promise<Call[]> {
  const slots = Array.from({ length: rows }, (_, slot) => slot);
  const prompt = Int32Array.from({ length: promptTokens }, (_, i) => i + 1);
  await begin(model, [{ prompt, slots, rowKeys: slots }]);
  device.calls = [];
  const requests = slots.map((slot) => ({ slot, append: new Int32Array(0), constraint: null }));
  await model.generate(requests, { temperature: 1, seed: 1, stream: 0, maxTokens: 2, stopTokens: [] });
  const { calls } = device;
  return calls.slice(calls.findIndex(({ form }) => form.name === 'quant_embed'));
}

/** `layers`: fewer than the model has. */
function configFor(layers?: number): ModelConfig {
  const { config: listed } = findModel('qwen2.5-0.5b');
  return parseConfig({ ...listed, ...(layers ? { num_hidden_layers: layers } : {}) });
}

async function openModel(device: RecordingDevice, { layers, choices, keptBytes, tokens }: StepOptions): Promise<Model> {
  const config = configFor(layers);
  const adapter = { lora, tensors: initAdapter(config, lora, 1) };
  const capacity = capacityFor(tokens, promptTokens);
  const options = { capacity, adapter, precision: 'int4', trainable: true, reference: false } as const;
  return Model.create(device, config, { ...options, choices, keptBytes, weights: zeros(config, 'int4') });
}

interface StepOptions {
  layers?: number;
  choices: KernelChoices;
  keptBytes?: number;
  tokens: number;
}

async function recordedUpdate(model: Model, device: RecordingDevice): Promise<Step> {
  device.calls = [];
  await update(model, model.capacity.batchTokens);
  // A copy, because the prompt of the first decoding is recorded into the same list.
  return { name: 'update', calls: [...device.calls] };
}

/** An update in which some layers keep their activations, and the bytes of these and of the adapter's first products. */
export interface KeptUpdate extends Step {
  kept: number;
  keptBytes: number;
  /** All planned bytes. */
  bytes: number;
}

/** An update of `tokens` tokens with room for the activations of `kept` layers. */
export async function recordKept(kept: number, tokens: number): Promise<KeptUpdate> {
  const device = new RecordingDevice();
  const sizes = sizesOf(configFor(), capacityFor(tokens, promptTokens), device.bindingBytes);
  const keptBytes = adapterProductBytes(sizes, lora) + kept * keptLayerBytes(sizes);
  const model = await openModel(device, { choices: gpuChoices, keptBytes, tokens });
  const step = await recordedUpdate(model, device);
  const bytes = totalBytes(model.plan);
  model.destroy();
  return { ...step, kept, keptBytes, bytes };
}

/** An update of `tokens` tokens, and a token of 1, 8 and 32 rows. `layers`: fewer than the model has. */
export async function recordSteps(
  layers?: number,
  choices = gpuChoices,
  tokens = updateTokens,
  info?: Partial<DeviceInfo>,
): Promise<Step[]> {
  const device = new RecordingDevice(info);
  const model = await openModel(device, { layers, choices, tokens });
  const steps = [await recordedUpdate(model, device)];
  for (const rows of decodedRows) {
    const calls = await decode(model, device, rows);
    steps.push({ name: `decode, ${rows} ${rows === 1 ? 'row' : 'rows'}`, calls });
  }
  model.destroy();
  return steps;
}
