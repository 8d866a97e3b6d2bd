/**
 * All values of a model: the base, the trained part (all weights, or an adapter), gradients, moments, and the
 * reference. Decides which of them exist.
 */
import type { Device } from '../../device/device.ts';
import { type ModelConfig, parameterShapes } from '../config.ts';
import type { TensorMap } from '../policy.ts';
import { StateError } from '../state-error.ts';
import { adapterShapes, type LoraConfig } from '../weights/adapter.ts';
import { createBase, formatsOf, piecesOf, planTrained, streamInto, type WeightStream } from '../weights/base.ts';
import { type BaseWeights, DenseWeights, type Precision, type Weights } from '../weights/linear.ts';
import { type Layout, ParameterSet } from '../weights/parameters.ts';
import { PrecisionError } from '../weights/precision-error.ts';
import { AdaptedWeights } from './adapted.ts';
import type { Operations } from './operations.ts';
import { AdamW } from './optimizer.ts';
import type { Workspace } from './workspace.ts';

export interface WeightOptions {
  /** A whole model, or a stream of its pieces. */
  weights: WeightStream;
  /**
   * Low-rank adapter beside the weights. With one, the weights are frozen, and only the adapter is trained, saved and
   * loaded.
   */
  adapter?: { lora: LoraConfig; tensors: TensorMap } | null;
  /** Precision of a frozen base's matrices; trained weights are f32. Default: f32. */
  precision?: Precision;
  /** Allocates gradients and moments. */
  trainable: boolean;
  /** Trained weights leave out the embedding and the head. Default: false. */
  frozenEmbeddings?: boolean;
  /**
   * Allocates a frozen copy of the weights, for KL. An adapted model needs no copy: its reference is the base without
   * the adapter.
   */
  reference: boolean;
}

export class ModelWeights {
  /** Weights used for playing and training. */
  readonly active: Weights;
  /** Reference weights, or null if there are none. */
  readonly reference: Weights | null;
  /** Values that are trained, saved and loaded: all weights, or the adapter's; null if all are frozen. */
  readonly trained: ParameterSet | null;
  readonly grads: ParameterSet | null;
  readonly adamw: AdamW | null;
  /** Shape of every tensor of `trained` by name. */
  readonly trainedShapes: ReadonlyMap<string, number[]>;
  private readonly base: BaseWeights;
  /** Frozen copy of the trained weights. */
  private readonly copy: DenseWeights | null;

  constructor(
    device: Device,
    private readonly config: ModelConfig,
    private readonly options: WeightOptions,
    private readonly ops: Operations,
    ws: Workspace,
  ) {
    const { trainable, reference, precision = 'f32', frozenEmbeddings } = options;
    const lora = options.adapter?.lora ?? null;
    const blockBytes = device.bindingBytes;
    const set = (layout: Layout, label: string) => new ParameterSet(device, layout, label);
    const layout = planTrained(config, lora, precision, blockBytes);
    this.grads = trainable ? set(layout, 'gradients') : null;
    const whole = lora || precision !== 'f32' ? null : set(layout, 'weights');
    this.base = whole
      ? new DenseWeights(config, ops, ws, whole, this.grads, frozenEmbeddings)
      : createBase(config, { precision, formats: formatsOf(options.weights) }, ops, ws);
    this.trained = lora ? set(layout, 'adapter') : whole;
    this.trainedShapes = lora ? adapterShapes(config, lora) : parameterShapes(config);
    this.active = lora ? new AdaptedWeights(config, lora, ops, ws, this.base, this.trained!, this.grads) : this.base;
    this.copy = reference && whole ? new DenseWeights(config, ops, ws, set(layout, 'reference')) : null;
    this.reference = whole ? this.copy : this.base;
    this.adamw =
      this.grads && new AdamW(ops, ws, this.trained!, this.grads, set(layout, 'exp_avg'), set(layout, 'exp_avg_sq'));
  }

  /** Refuses mismatched tensors and untrainable settings before anything is allocated. */
  static check(config: ModelConfig, { weights, adapter, trainable, precision = 'f32' }: WeightOptions): void {
    if (trainable && !adapter && precision !== 'f32')
      throw new PrecisionError(
        `Weights in ${precision} are frozen: train an adapter beside them, or keep them in f32.`,
      );
    if (weights instanceof Map) checkTensors(parameterShapes(config), weights, '');
    if (adapter) checkAdapter(config, adapter);
  }

  /** Uploads the weights, and copies them to the reference if all of them are trained. */
  async fill(): Promise<void> {
    const { weights, adapter } = this.options;
    const shapes = parameterShapes(this.config);
    const pieces = weights instanceof Map ? piecesOf(weights, shapes) : weights;
    await streamInto(this.base, pieces, shapes, () => this.ops.recorder.finish());
    if (adapter) this.trained!.upload(this.ops.recorder, adapter.tensors);
    this.freezeReference();
  }

  /**
   * Copies the current weights into the reference. An adapted model's reference is its base, regardless of the adapter.
   */
  freezeReference(): void {
    if (this.copy) this.copy.set.copyFrom(this.ops.recorder, this.trained!);
    this.ops.recorder.submit();
  }

  /** Frozen copy as a set of tensors; null if the reference needs none. */
  get copied(): ParameterSet | null {
    return this.copy?.set ?? null;
  }

  destroy(): void {
    this.base.destroy();
    if (this.active !== this.base) this.active.destroy();
    this.copy?.destroy();
    this.adamw?.m.destroy();
    this.adamw?.v.destroy();
  }
}

/** Throws StateError for the first tensor that is missing or has another shape. */
export function checkTensors(shapes: ReadonlyMap<string, number[]>, tensors: TensorMap, prefix: string): void {
  for (const [name, shape] of shapes) {
    const tensor = tensors.get(prefix + name);
    if (!tensor) throw new StateError(`The tensor ${prefix + name} is missing.`);
    if (tensor.shape.join() !== shape.join() || tensor.data.length !== shape.reduce((a, b) => a * b, 1)) {
      throw new StateError(`${prefix + name} has shape (${tensor.shape}); this model needs (${shape}).`);
    }
  }
}

/** Throws StateError for tensors that the model does not have, because their values would be lost. */
export function checkNames(shapes: ReadonlyMap<string, number[]>, tensors: TensorMap): void {
  const others = [...tensors.keys()].filter((name) => !shapes.has(name));
  if (!others.length) return;
  const more = others.length > 3 ? ` and ${others.length - 3} more` : '';
  throw new StateError(`These tensors are not part of this model: ${others.slice(0, 3).join(', ')}${more}.`);
}

function checkAdapter(config: ModelConfig, { lora, tensors }: NonNullable<WeightOptions['adapter']>): void {
  const beyond = lora.layers?.filter((layer) => layer >= config.numLayers) ?? [];
  if (beyond.length)
    throw new StateError(
      `The adapter is for layers ${beyond.join(', ')}, but the model has layers 0 to ${config.numLayers - 1}: it belongs to another model.`,
    );
  const shapes = adapterShapes(config, lora);
  checkTensors(shapes, tensors, '');
  checkNames(shapes, tensors);
}
