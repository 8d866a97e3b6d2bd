/**
 * Low-rank adapter (LoRA, Hu et al. 2021, https://arxiv.org/abs/2106.09685) as data: its projections, the shapes and
 * PEFT names of its matrices, their layout and initial values. y = W x + (alpha / rank) B (A x), A (rank, inputs), B
 * (outputs, rank). Independent of the GPU.
 */
import { type ModelConfig, parameterShapes } from '../config.ts';
import type { TensorMap } from '../policy.ts';
import { normals } from './init.ts';
import { type Layout, layerTensors, type OperandSpec, placeOperands, wholeOperand } from './parameters.ts';

/** Projections that can be adapted, by PEFT's names, in the order of use in a layer. */
export const projections = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const;
export type Projection = (typeof projections)[number];

export interface LoraConfig {
  rank: number;
  alpha: number;
  targets: readonly Projection[];
  /** Layers with an adapter, in ascending order. Absent: all layers. */
  layers?: readonly number[];
  /** Scales the product by alpha / sqrt(rank) (Kalajdzievski 2023) instead of alpha / rank. */
  rankStabilized?: boolean;
}

export const loraScale = ({ alpha, rank, rankStabilized }: LoraConfig) =>
  alpha / (rankStabilized ? Math.sqrt(rank) : rank);

/** Adapted tensor of an operand: its number of outputs, and the first column of the operand it writes. */
interface AdaptedPart {
  A: string;
  B: string;
  rows: number;
  column: number;
}

/** Operand with at least one adapted part. */
export interface AdaptedOperand {
  name: string;
  inputs: number;
  /** Outputs of the whole operand, including those that are not adapted. */
  outputs: number;
  parts: AdaptedPart[];
}

/** Part of a layer that a projection belongs to, by the model's name for it. */
export const projectionPart = (projection: Projection) => (/^[qkvo]_/.test(projection) ? 'self_attn' : 'mlp');

/** Name of a projection as a module of the model: `model.layers.0.self_attn.q_proj`. */
export const projectionModule = (layer: number, projection: Projection) =>
  `model.layers.${layer}.${projectionPart(projection)}.${projection}`;

/** `model.layers.0.self_attn.q_proj.weight` -> `base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight` */
const peftName = (tensor: string, matrix: 'A' | 'B') =>
  `base_model.model.${tensor.replace(/weight$/, `lora_${matrix}.weight`)}`;

const projectionOf = (tensor: string) => /\.(\w+_proj)\.weight$/.exec(tensor)?.[1] as Projection | undefined;

function adaptedOperand(
  [name, tensors]: [string, string[]],
  shapes: ReadonlyMap<string, number[]>,
  targets: readonly Projection[],
): AdaptedOperand {
  const parts: AdaptedPart[] = [];
  let outputs = 0;
  for (const tensor of tensors) {
    const [rows] = shapes.get(tensor)!;
    if (targets.includes(projectionOf(tensor)!))
      parts.push({ A: peftName(tensor, 'A'), B: peftName(tensor, 'B'), rows, column: outputs });
    outputs += rows;
  }
  return { name, inputs: shapes.get(tensors[0])![1], outputs, parts };
}

/** Operands with adapted parts, in the layers' order. Layers beyond the model's are left out. */
export function adaptedOperands(config: ModelConfig, { targets, layers }: LoraConfig): AdaptedOperand[] {
  const shapes = parameterShapes(config);
  return Array.from({ length: config.numLayers }, (_, l) => l)
    .filter((l) => layers?.includes(l) ?? true)
    .flatMap((l) => layerTensors(config, l))
    .filter(([, tensors]) => projectionOf(tensors[0]))
    .map((operand) => adaptedOperand(operand, shapes, targets))
    .filter(({ parts }) => parts.length > 0);
}

/** Shape of every matrix of the adapter by PEFT name. */
export function adapterShapes(config: ModelConfig, lora: LoraConfig): Map<string, number[]> {
  const shapes = new Map<string, number[]>();
  for (const { inputs, parts } of adaptedOperands(config, lora))
    for (const { A, B, rows } of parts) shapes.set(A, [lora.rank, inputs]).set(B, [rows, lora.rank]);
  return shapes;
}

/**
 * Layout of the adapter. The A matrices of an operand's parts form one operand `NAME.A` (parts x rank, inputs), the B
 * matrices one operand `NAME.B` (rows, rank).
 */
export function planAdapter(config: ModelConfig, lora: LoraConfig, blockBytes: number): Layout {
  const shapes = adapterShapes(config, lora);
  const specs = adaptedOperands(config, lora).flatMap(({ name, parts }): OperandSpec[] =>
    (['A', 'B'] as const).map((matrix) =>
      wholeOperand(
        `${name}.${matrix}`,
        parts.map((part) => part[matrix]),
        shapes,
      ),
    ),
  );
  return placeOperands(specs, blockBytes);
}

/** Width of the widest A x: values per token between the two products. */
export const adapterWidth = (config: ModelConfig, lora: LoraConfig) =>
  Math.max(0, ...adaptedOperands(config, lora).map(({ parts }) => parts.length * lora.rank));

/**
 * Initial values as in PEFT: B is zero, and A has the variance of PEFT's uniform distribution, 1 / (3 inputs). The
 * adapter initially changes nothing.
 */
export function initAdapter(config: ModelConfig, lora: LoraConfig, seed: number): TensorMap {
  const tensors: TensorMap = new Map();
  for (const [name, shape] of adapterShapes(config, lora)) {
    const size = shape[0] * shape[1];
    const data = name.endsWith('lora_A.weight')
      ? normals(size, seed, name, 1 / Math.sqrt(3 * shape[1]))
      : new Float32Array(size);
    tensors.set(name, { shape, data });
  }
  return tensors;
}
