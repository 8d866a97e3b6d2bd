/**
 * Layout of the f32 values on the GPU. Weights read by one matmul are stored consecutively (q, k and v; gate and up),
 * so that for instance three Hugging Face tensors form one operand here. All tensors lie in blocks small enough for one
 * binding; gradients and moments have blocks of the same layout.
 */
import { type BufferSlice, type Device, type DeviceBuffer, type Recorder, slice } from '../../device/device.ts';
import { type ModelConfig, parameterShapes } from '../config.ts';
import type { TensorMap } from '../policy.ts';

/** Place of a tensor, or of its values from `start` on, in an operand. In floats. */
interface Part {
  name: string;
  shape: number[];
  start: number;
  offset: number;
  size: number;
}

/** Operand: consecutive tensors of the checkpoint, used as one matrix or vector. */
export interface Operand {
  name: string;
  parts: Part[];
  block: number;
  /** Offset from the block's start, in floats. */
  offset: number;
  size: number;
}

export interface Layout {
  operands: Map<string, Operand>;
  /** Size of each block, in floats. */
  blocks: number[];
  /** Number of parameters, without padding. */
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

/** Vocabulary rows of one logits tile. */
export const vocabularyTile = 2048;

/** Token table. Each of its operands holds `rowsEach` rows, the last one the rest. */
export interface Table {
  name: 'embedding' | 'head';
  rows: number;
  rowsEach: number;
}

/** Name of the operand that holds row `first` of a table. A table in one operand has the table's own name. */
export const tableOperand = ({ name, rows, rowsEach }: Table, first: number) =>
  rowsEach >= rows ? name : `${name}.${Math.floor(first / rowsEach)}`;

/**
 * Number of table rows that one binding holds, with `rowBytes` per row: all of them, or whole vocabulary tiles, so that
 * a tile of the head never spans two operands.
 */
function rowsPerOperand(rows: number, rowBytes: number, blockBytes: number): number {
  if (rows * rowBytes <= blockBytes) return rows;
  const tiles = Math.floor(blockBytes / (rowBytes * vocabularyTile));
  if (tiles === 0)
    throw new RangeError(
      `${vocabularyTile} rows of the vocabulary need ${rowBytes * vocabularyTile} bytes; this adapter binds at most ${blockBytes} at once.`,
    );
  return tiles * vocabularyTile;
}

/** Table of the embedding or of the head; the same one if they are tied. */
export function tableOf(config: ModelConfig, use: 'embedding' | 'head', rowBytes: number, blockBytes: number): Table {
  const name = use === 'head' && !config.tieWordEmbeddings ? 'head' : 'embedding';
  return { name, rows: config.vocabSize, rowsEach: rowsPerOperand(config.vocabSize, rowBytes, blockBytes) };
}

/** Operand before it is placed: its name, and its tensors or their pieces. */
export type OperandSpec = [string, Omit<Part, 'offset'>[]];

const floatsOf = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

/** Operand of whole tensors. */
export const wholeOperand = (name: string, tensors: readonly string[], shapes: ReadonlyMap<string, number[]>) =>
  [
    name,
    tensors.map((tensor) => {
      const shape = shapes.get(tensor)!;
      return { name: tensor, shape, start: 0, size: floatsOf(shape) };
    }),
  ] satisfies OperandSpec;

/** Token table, split by vocabulary rows if one binding cannot hold it. */
function tableOperands(table: Table, tensor: string, columns: number): OperandSpec[] {
  const list: OperandSpec[] = [];
  for (let first = 0; first < table.rows; first += table.rowsEach) {
    const size = Math.min(table.rowsEach, table.rows - first) * columns;
    list.push([
      tableOperand(table, first),
      [{ name: tensor, shape: [table.rows, columns], start: first * columns, size }],
    ]);
  }
  return list;
}

/** Matrices and vectors of layer `l`, each with its tensors. */
export function layerTensors(config: ModelConfig, l: number): [string, string[]][] {
  const at = `model.layers.${l}`;
  const names = layerOperands(l);
  const attention = (x: string[], suffix: string) => x.map((part) => `${at}.self_attn.${part}_${suffix}`);
  const list: [string, string[]][] = [
    [names.norm1, [`${at}.input_layernorm.weight`]],
    [names.qkv, attention(['q', 'k', 'v'], 'proj.weight')],
  ];
  if (config.qkvBias) list.push([names.qkvBias, attention(['q', 'k', 'v'], 'proj.bias')]);
  if (config.qkNorm) list.push([names.headGains, attention(['q', 'k'], 'norm.weight')]);
  list.push(
    [names.output, [`${at}.self_attn.o_proj.weight`]],
    [names.norm2, [`${at}.post_attention_layernorm.weight`]],
    [names.gateUp, ['gate', 'up'].map((x) => `${at}.mlp.${x}_proj.weight`)],
    [names.down, [`${at}.mlp.down_proj.weight`]],
  );
  return list;
}

function operandSpecs(config: ModelConfig, blockBytes: number): OperandSpec[] {
  const shapes = parameterShapes(config);
  const h = config.hiddenSize;
  const table = (use: 'embedding' | 'head') => tableOf(config, use, h * 4, blockBytes);
  const list = tableOperands(table('embedding'), 'model.embed_tokens.weight', h);
  for (let l = 0; l < config.numLayers; l++)
    for (const [name, tensors] of layerTensors(config, l)) list.push(wholeOperand(name, tensors, shapes));
  list.push(wholeOperand('finalNorm', ['model.norm.weight'], shapes));
  if (!config.tieWordEmbeddings) list.push(...tableOperands(table('head'), 'lm_head.weight', h));
  return list;
}

const alignFloats = 64; // 256 bytes: default alignment of storage binding offsets

/**
 * Layout of all parameters of a model in f32. `blockBytes` is the largest size of a block (the adapter's largest
 * binding).
 */
export const planLayout = (config: ModelConfig, blockBytes: number): Layout =>
  placeOperands(operandSpecs(config, blockBytes), blockBytes);

/** Places operands one after another in blocks of at most `blockBytes`. */
export function placeOperands(specs: readonly OperandSpec[], blockBytes: number): Layout {
  const operands = new Map<string, Operand>();
  const blocks: number[] = [0];
  let count = 0;
  for (const [name, pieces] of specs) {
    let size = 0;
    const parts = pieces.map((piece) => {
      const placed = { ...piece, offset: size };
      size += piece.size;
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

/** Size of all blocks, including padding, in floats. */
export const layoutFloats = (layout: Layout) => layout.blocks.reduce((a, b) => a + b, 0);

/** One value per parameter: the weights, their gradients, or a moment. */
export class ParameterSet {
  readonly buffers: DeviceBuffer[];

  constructor(
    readonly device: Device,
    readonly layout: Layout,
    readonly label: string,
  ) {
    this.buffers = layout.blocks.map((floats, i) => device.createBuffer(`${label}.${i}`, floats * 4));
  }

  has(operand: string): boolean {
    return this.layout.operands.has(operand);
  }

  private operand(name: string): Operand {
    const operand = this.layout.operands.get(name);
    if (!operand) throw new RangeError(`This model has no ${name}.`);
    return operand;
  }

  slice(operand: string): BufferSlice {
    const { block, offset, size } = this.operand(operand);
    return slice(this.buffers[block], offset * 4, size * 4);
  }

  /** (outputs, inputs) of a matrix. The outputs are those of its tensors, one after another. */
  shape(operand: string): [number, number] {
    const { size, parts } = this.operand(operand);
    const inputs = parts[0].shape[1];
    return [size / inputs, inputs];
  }

  upload(recorder: Recorder, tensors: TensorMap, prefix = ''): void {
    this.layout.blocks.forEach((floats, block) => {
      const data = new Float32Array(floats);
      for (const operand of this.layout.operands.values()) {
        if (operand.block !== block) continue;
        for (const part of operand.parts) {
          const tensor = tensors.get(prefix + part.name);
          if (!tensor) throw new RangeError(`The tensor ${prefix + part.name} is missing.`);
          const needed = floatsOf(part.shape);
          if (tensor.data.length !== needed) {
            throw new RangeError(`${prefix + part.name} has ${tensor.data.length} values, ${needed} are needed.`);
          }
          data.set(tensor.data.subarray(part.start, part.start + part.size), operand.offset + part.offset);
        }
      }
      recorder.upload(this.buffers[block], 0, data);
    });
  }

  /**
   * Writes values of a tensor, from `start` on, to their places. Returns the number of values that belong to this set.
   */
  write(recorder: Recorder, tensor: string, start: number, values: Float32Array): number {
    let written = 0;
    for (const { block, offset, parts } of this.layout.operands.values())
      for (const part of parts) {
        if (part.name !== tensor) continue;
        const from = Math.max(start, part.start);
        const to = Math.min(start + values.length, part.start + part.size);
        if (from >= to) continue;
        const at = offset + part.offset + from - part.start;
        recorder.upload(this.buffers[block], at * 4, values.slice(from - start, to - start));
        written += to - from;
      }
    return written;
  }

  /** Buffers as slices, for a read-back. */
  slices(): BufferSlice[] {
    return this.buffers.map((buffer, i) => slice(buffer, 0, this.layout.blocks[i] * 4));
  }

  /** Copies the values of read-back blocks into named tensors. The blocks are not needed afterwards. */
  unpack(blocks: readonly ArrayBuffer[], prefix = ''): TensorMap {
    const tensors: TensorMap = new Map();
    for (const operand of this.layout.operands.values()) {
      const floats = new Float32Array(blocks[operand.block]);
      for (const part of operand.parts) {
        const at = operand.offset + part.offset;
        const name = prefix + part.name;
        const tensor = tensors.get(name) ?? { shape: part.shape, data: new Float32Array(floatsOf(part.shape)) };
        tensor.data.set(floats.subarray(at, at + part.size), part.start);
        tensors.set(name, tensor);
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

  destroy(): void {
    for (const buffer of this.buffers) this.device.destroyBuffer(buffer);
  }
}
