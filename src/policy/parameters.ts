/**
 * Where each weight lies on the GPU. Weights that are read by one matmul are kept one after another (q, k and v; gate and
 * up), so that three Hugging Face tensors are one operand here; all tensors lie in blocks small enough for one binding, and
 * gradients and moments lie in blocks of the same layout.
 */
import type { Gpu } from '../gpu/device.ts';
import { type BufferSlice, slice } from '../gpu/kernel.ts';
import type { Recorder } from '../gpu/submission.ts';
import { type ModelConfig, parameterShapes } from './config.ts';
import type { TensorMap } from './policy.ts';

const STORAGE = 0x80 | 0x4 | 0x8; /* STORAGE | COPY_SRC | COPY_DST */

/** One operand: neighbouring tensors of the checkpoint, with the operand's own shape. */
export interface Operand {
  name: string;
  parts: { name: string; shape: number[]; offset: number; size: number }[];
  block: number;
  /** In floats, from the block's start. */
  offset: number;
  size: number;
}

export interface Layout {
  operands: Map<string, Operand>;
  /** Floats in each block. */
  blocks: number[];
  /** Parameters, without padding. */
  count: number;
}

/** Names of the operands of layer `l`. */
export const layerOperands = (l: number) => ({
  norm1: `layers.${l}.norm1`,
  qkv: `layers.${l}.qkv`,
  qkvBias: `layers.${l}.qkvBias`,
  headGains: `layers.${l}.headGains`,
  output: `layers.${l}.output`,
  norm2: `layers.${l}.norm2`,
  gateUp: `layers.${l}.gateUp`,
  down: `layers.${l}.down`,
});

function operandParts(config: ModelConfig): [string, string[]][] {
  const list: [string, string[]][] = [['embedding', ['model.embed_tokens.weight']]];
  for (let l = 0; l < config.numLayers; l++) {
    const at = `model.layers.${l}`;
    const names = layerOperands(l);
    list.push([names.norm1, [`${at}.input_layernorm.weight`]]);
    list.push([names.qkv, ['q', 'k', 'v'].map((x) => `${at}.self_attn.${x}_proj.weight`)]);
    if (config.qkvBias) list.push([names.qkvBias, ['q', 'k', 'v'].map((x) => `${at}.self_attn.${x}_proj.bias`)]);
    if (config.qkNorm) list.push([names.headGains, ['q', 'k'].map((x) => `${at}.self_attn.${x}_norm.weight`)]);
    list.push([names.output, [`${at}.self_attn.o_proj.weight`]]);
    list.push([names.norm2, [`${at}.post_attention_layernorm.weight`]]);
    list.push([names.gateUp, ['gate', 'up'].map((x) => `${at}.mlp.${x}_proj.weight`)]);
    list.push([names.down, [`${at}.mlp.down_proj.weight`]]);
  }
  list.push(['finalNorm', ['model.norm.weight']]);
  if (!config.tieWordEmbeddings) list.push(['head', ['lm_head.weight']]);
  return list;
}

const alignFloats = 64; // 256 bytes: the default alignment of a storage binding's offset

/** Places every operand. `blockBytes` bounds one block (the adapter's largest binding). */
export function planLayout(config: ModelConfig, blockBytes: number): Layout {
  const shapes = parameterShapes(config);
  const operands = new Map<string, Operand>();
  const blocks: number[] = [0];
  let count = 0;
  for (const [name, names] of operandParts(config)) {
    let size = 0;
    const parts = names.map((part) => {
      const shape = shapes.get(part)!;
      const floats = shape.reduce((a, b) => a * b, 1);
      const placed = { name: part, shape, offset: size, size: floats };
      size += floats;
      return placed;
    });
    count += size;
    const padded = Math.ceil(size / alignFloats) * alignFloats;
    if (padded * 4 > blockBytes) {
      throw new RangeError(`${name} needs ${padded * 4} bytes; this adapter binds at most ${blockBytes} at once.`);
    }
    if ((blocks[blocks.length - 1] + padded) * 4 > blockBytes) blocks.push(0);
    const block = blocks.length - 1;
    operands.set(name, { name, parts, block, offset: blocks[block], size });
    blocks[block] += padded;
  }
  return { operands, blocks, count };
}

/** One value per parameter: the weights, or their gradients, or a moment. */
export class ParameterSet {
  readonly buffers: GPUBuffer[];

  constructor(
    readonly gpu: Gpu,
    readonly layout: Layout,
    readonly label: string,
  ) {
    this.buffers = layout.blocks.map((floats, i) => gpu.createBuffer(`${label}.${i}`, floats * 4, STORAGE));
  }

  has(operand: string): boolean {
    return this.layout.operands.has(operand);
  }

  slice(operand: string): BufferSlice {
    const o = this.layout.operands.get(operand);
    if (!o) throw new RangeError(`This model has no ${operand}.`);
    return slice(this.buffers[o.block], o.offset * 4, o.size * 4);
  }

  upload(recorder: Recorder, tensors: TensorMap, prefix = ''): void {
    this.layout.blocks.forEach((floats, block) => {
      const data = new Float32Array(floats);
      for (const operand of this.layout.operands.values()) {
        if (operand.block !== block) continue;
        for (const part of operand.parts) {
          const tensor = tensors.get(prefix + part.name);
          if (!tensor) throw new RangeError(`The tensor ${prefix + part.name} is missing.`);
          if (tensor.data.length !== part.size) {
            throw new RangeError(`${prefix + part.name} has ${tensor.data.length} values, ${part.size} are needed.`);
          }
          data.set(tensor.data, operand.offset + part.offset);
        }
      }
      recorder.upload(this.buffers[block], 0, data);
    });
  }

  /** Buffers as slices, for a read-back. */
  slices(): BufferSlice[] {
    return this.buffers.map((buffer, i) => slice(buffer, 0, this.layout.blocks[i] * 4));
  }

  /** Names the values of read-back blocks; copies, so that the blocks can go. */
  unpack(blocks: readonly ArrayBuffer[], prefix = ''): TensorMap {
    const tensors: TensorMap = new Map();
    for (const operand of this.layout.operands.values()) {
      const floats = new Float32Array(blocks[operand.block]);
      for (const part of operand.parts) {
        const start = operand.offset + part.offset;
        tensors.set(prefix + part.name, { shape: part.shape, data: floats.slice(start, start + part.size) });
      }
    }
    return tensors;
  }

  copyFrom(recorder: Recorder, other: ParameterSet): void {
    this.buffers.forEach((buffer, i) => {
      recorder.copy(slice(other.buffers[i], 0, other.buffers[i].size), buffer, 0, buffer.size);
    });
  }

  clear(recorder: Recorder): void {
    for (const buffer of this.buffers) recorder.clear(buffer);
  }

  get bytes(): number {
    return this.buffers.reduce((sum, buffer) => sum + buffer.size, 0);
  }

  destroy(): void {
    for (const buffer of this.buffers) this.gpu.destroyBuffer(buffer);
  }
}
