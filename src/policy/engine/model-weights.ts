/**
 * All values that a model holds: its base, what of it is trained (everything, or an adapter), gradients, moments, and the
 * reference. Decides which of them exist; the model only uses them.
 */
import type { Device } from '../../device/device.ts';
import { type ModelConfig, parameterShapes } from '../config.ts';
import type { TensorMap } from '../policy.ts';
import { StateError } from '../state-error.ts';
import { adapterShapes, type LoraConfig } from '../weights/adapter.ts';
import { createBase, piecesOf, planTrained, streamInto, type WeightStream } from '../weights/base.ts';
import { type BaseWeights, DenseWeights, type Precision, type Weights } from '../weights/linear.ts';
import { type Layout, ParameterSet } from '../weights/parameters.ts';
import { PrecisionError } from '../weights/precision-error.ts';
import { AdaptedWeights } from './adapted.ts';
import type { Operations } from './operations.ts';
import { AdamW } from './optimizer.ts';
import type { Workspace } from './workspace.ts';

export interface WeightOptions {
  /** A whole model, or its pieces as they come. */
  weights: WeightStream;
  /** A low-rank adapter beside the weights, which are then frozen: it alone is trained, saved and loaded. */
  adapter?: { lora: LoraConfig; tensors: TensorMap } | null;
  /** How the matrices of a frozen base are kept; weights that are trained are f32. Default: f32. */
  precision?: Precision;
  /** Gradients and moments are allocated. */
  trainable: boolean;
  /** A frozen copy of the weights is allocated, for KL. An adapted model has its reference without: the adapter switched off. */
  reference: boolean;
}

export class ModelWeights {
  /** What the policy plays and trains with. */
  readonly active: Weights;
  /** What it is compared with; null where there is nothing. */
  readonly reference: Weights | null;
  /** The values that are trained, saved and loaded: all weights, or the adapter's; null where all is frozen. */
  readonly trained: ParameterSet | null;
  readonly grads: ParameterSet | null;
  readonly adamw: AdamW | null;
  /** Shape of every tensor of `trained` under its name. */
  readonly trainedShapes: ReadonlyMap<string, number[]>;
  private readonly base: BaseWeights;
  /** A frozen copy of the trained weights. */
  private readonly copy: DenseWeights | null;

  constructor(
    device: Device,
    private readonly config: ModelConfig,
    private readonly options: WeightOptions,
    private readonly ops: Operations,
    ws: Workspace,
  ) {
    const { trainable, reference, precision = 'f32' } = options;
    const lora = options.adapter?.lora ?? null;
    const blockBytes = device.bindingBytes;
    const set = (layout: Layout, label: string) => new ParameterSet(device, layout, label);
    const layout = planTrained(config, lora, precision, blockBytes);
    this.grads = trainable ? set(layout, 'gradients') : null;
    const whole = lora || precision !== 'f32' ? null : set(layout, 'weights');
    this.base = whole ? new DenseWeights(config, ops, ws, whole, this.grads) : createBase(config, precision, ops, ws);
    this.trained = lora ? set(layout, 'adapter') : whole;
    this.trainedShapes = lora ? adapterShapes(config, lora) : parameterShapes(config);
    this.active = lora ? new AdaptedWeights(config, lora, ops, ws, this.base, this.trained!, this.grads) : this.base;
    this.copy = reference && whole ? new DenseWeights(config, ops, ws, set(layout, 'reference')) : null;
    this.reference = whole ? this.copy : this.base;
    this.adamw =
      this.grads && new AdamW(ops, ws, this.trained!, this.grads, set(layout, 'exp_avg'), set(layout, 'exp_avg_sq'));
  }

  /** Refuses, before anything is allocated, tensors that do not fit and what cannot be trained. */
  static check(config: ModelConfig, { weights, adapter, trainable, precision = 'f32' }: WeightOptions): void {
    if (trainable && !adapter && precision !== 'f32')
      throw new PrecisionError(
        `Weights in ${precision} are frozen: train an adapter beside them, or keep them in f32.`,
      );
    if (weights instanceof Map) checkTensors(parameterShapes(config), weights, '');
    if (adapter) checkTensors(adapterShapes(config, adapter.lora), adapter.tensors, '');
  }

  /** Brings the weights, and where they are trained whole a copy of them as the reference. */
  async fill(): Promise<void> {
    const { weights, adapter } = this.options;
    const shapes = parameterShapes(this.config);
    const pieces = weights instanceof Map ? piecesOf(weights, shapes) : weights;
    await streamInto(this.base, pieces, shapes, () => this.ops.recorder.finish());
    if (adapter) this.trained!.upload(this.ops.recorder, adapter.tensors);
    this.freezeReference();
  }

  /** The weights as they are become the reference. The base of an adapted model is its reference, whatever the adapter holds. */
  freezeReference(): void {
    if (this.copy) this.copy.set.copyFrom(this.ops.recorder, this.trained!);
    this.ops.recorder.submit();
  }

  /** The frozen copy as a set of tensors; null where the reference needs none. */
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

/** Throws StateError for the first tensor that is missing or of another shape. */
export function checkTensors(shapes: ReadonlyMap<string, number[]>, tensors: TensorMap, prefix: string): void {
  for (const [name, shape] of shapes) {
    const tensor = tensors.get(prefix + name);
    if (!tensor) throw new StateError(`The tensor ${prefix + name} is missing.`);
    if (tensor.shape.join() !== shape.join() || tensor.data.length !== shape.reduce((a, b) => a * b, 1)) {
      throw new StateError(`${prefix + name} has shape (${tensor.shape}); this model needs (${shape}).`);
    }
  }
}
