/**
 * Exports a policy as an ONNX model, in the Hub's layout for causal language models, so that onnxruntime and
 * transformers.js can run it:
 * - in: input_ids, attention_mask, position_ids (all int64), past_key_values.N.key and .value (B, KV, past, D);
 * - out: logits (B, S, V), present.N.key and .value (B, KV, past + S, D).
 *
 * `standard` uses ONNX's own operators (opset 18). Any runtime can run it, and the attention mask may mark padding
 * anywhere in a row. `contrib` uses onnxruntime's fused operators (com.microsoft: GroupQueryAttention with its
 * rotation, SkipSimplifiedLayerNormalization, MatMulNBits). It is faster, but padding must be at the right end of a
 * row.
 *
 * Sources: onnx.proto3 and Operators.md (github.com/onnx/onnx, Apache-2.0), ContribOperators.md
 * (github.com/microsoft/onnxruntime, MIT). Shape letters: B rows, S new tokens, T all tokens of a row, C hidden, H
 * heads, KV key heads, D head.
 */
import { type ModelConfig, parameterShapes, ropeInverseFrequencies, writeConfig } from '../config.ts';
import type { TensorMap } from '../policy.ts';
import { dequantizeRows, groupLength, type QuantBits, quantizeRows, scaleAt } from '../weights/quantize.ts';
import { type OnnxFiles, OnnxGraph, valueInfo } from './graph.ts';
import { transposed, unsignedCodes } from './operands.ts';

/** Thrown for a model that cannot be exported with the given options. Names the cause and an alternative. */
export class OnnxExportError extends Error {
  override name = 'OnnxExportError';
}

export interface OnnxExportOptions {
  operators: 'standard' | 'contrib';
  /**
   * Type of the matrices. Packed types need `contrib` and become MatMulNBits with blocks of 32, quantised as in
   * quantize.ts. int4 keeps the embedding and the head in int8, like the engine; norms and biases are f32.
   */
  weights?: 'float32' | 'int8' | 'int4';
  /** Rows of the rotary tables, and thus the longest sequence. Default: the config's, at most 32768. */
  maxPositions?: number;
  /** Stores the weights in `model.onnx_data` beside the model. Default: from 1 GiB on. */
  external?: boolean;
}

const opsets = { '': 18, 'com.microsoft': 1 };
const externalFrom = 2 ** 30;
const mostPositions = 32_768;
/**
 * Replacement of minus infinity in a mask. It is finite, so that the softmax of a row without visible tokens is not
 * NaN.
 */
const masked = -1e30;

const layerName = (layer: number) => `model.layers.${layer}`;

/** Inputs common to all layers, as names of values in the graph. */
interface Shared {
  /** standard: (B, 1, S, D / 2). contrib: (positions, D / 2). */
  cos: string;
  sin: string;
  /** standard: (B, 1, S, T), 0 or `masked`. */
  bias: string;
  /** contrib: (B) number of tokens of each row, minus one, int32. */
  seqlens: string;
  /** contrib: T, int32. */
  total: string;
}

class Exporter {
  readonly graph = new OnnxGraph();

  constructor(
    readonly config: ModelConfig,
    readonly tensors: TensorMap,
    readonly options: OnnxExportOptions,
  ) {}

  get contrib(): boolean {
    return this.options.operators === 'contrib';
  }

  tensor(name: string) {
    const tensor = this.tensors.get(name);
    if (!tensor)
      throw new OnnxExportError(`The tensor ${name} is missing: these weights do not belong to this config.`);
    return tensor;
  }

  vector(name: string): string {
    const { data } = this.tensor(name);
    return this.graph.floats(name, [data.length], data);
  }

  /** Bits of a packed matrix; null for f32. */
  private bits(part: 'projection' | 'table'): QuantBits | null {
    const { weights = 'float32' } = this.options;
    if (weights === 'float32') return null;
    return weights === 'int4' && part === 'projection' ? 4 : 8;
  }

  /** x (..., in) times packed weights (out, in). */
  private packedProduct(name: string, x: string, weight: string, bits: QuantBits): string {
    const { shape, data } = this.tensor(weight);
    const [N, K] = shape;
    const packed = quantizeRows(bits, data, K, { name: weight });
    const { groups } = packed.row;
    const codes = this.graph.weight(`${weight}.codes`, 'uint8', [N, groups, bits * 4], unsignedCodes(packed));
    const scales = Float32Array.from({ length: N * groups }, (_, i) =>
      scaleAt(packed, Math.floor(i / groups), i % groups),
    );
    const attributes = { K, N, bits, block_size: groupLength };
    return this.graph.op(name, 'MatMulNBits', [x, codes, this.graph.floats(`${weight}.scales`, [N * groups], scales)], {
      attributes,
      domain: 'com.microsoft',
    });
  }

  /** x (B, S, in) times a projection stored (out, in), plus its bias if it has one. */
  linear(name: string, x: string): string {
    const bits = this.bits('projection');
    const product = bits
      ? this.packedProduct(`${name}.product`, x, `${name}.weight`, bits)
      : this.graph.op(`${name}.product`, 'MatMul', [x, this.columns(`${name}.weight`)]);
    if (!this.tensors.has(`${name}.bias`)) return product;
    return this.graph.op(`${name}.sum`, 'Add', [product, this.vector(`${name}.bias`)]);
  }

  /** Transposed projection, as required by MatMul. */
  private columns(name: string): string {
    const { shape, data } = this.tensor(name);
    const [rows, columns] = shape;
    return this.graph.floats(`${name}.T`, [columns, rows], transposed(data, rows, columns));
  }

  /** RMSNorm over the last axis (Zhang and Sennrich 2019). */
  norm(name: string, x: string, gain: string): string {
    const { graph, config } = this;
    const weight = this.vector(gain);
    if (this.contrib) {
      const attributes = { axis: -1, epsilon: { float: config.rmsNormEps }, stash_type: 1 };
      return graph.op(name, 'SimplifiedLayerNormalization', [x, weight], { attributes });
    }
    const square = graph.op(`${name}.square`, 'Mul', [x, x]);
    const mean = graph.op(`${name}.mean`, 'ReduceMean', [square, graph.integers([-1])]);
    const shifted = graph.op(`${name}.shifted`, 'Add', [mean, graph.float(config.rmsNormEps)]);
    const root = graph.op(`${name}.root`, 'Sqrt', [shifted]);
    return graph.op(name, 'Mul', [graph.op(`${name}.divided`, 'Div', [x, root]), weight]);
  }

  /** Adds the residual and normalises: [norm, sum]. */
  addAndNorm(name: string, residual: string, branch: string, gain: string): [string, string] {
    const sum = `${name}.residual`;
    if (!this.contrib) {
      this.graph.op(sum, 'Add', [residual, branch]);
      return [this.norm(name, sum, gain), sum];
    }
    const attributes = { epsilon: { float: this.config.rmsNormEps } };
    this.graph.ops(
      name,
      'SkipSimplifiedLayerNormalization',
      [residual, branch, this.vector(gain)],
      [name, '', '', sum],
      { attributes, domain: 'com.microsoft' },
    );
    return [name, sum];
  }

  signature(): void {
    const { graph, config } = this;
    graph.inputs.push(
      valueInfo('input_ids', 'int64', ['batch_size', 'sequence_length']),
      valueInfo('attention_mask', 'int64', ['batch_size', 'total_sequence_length']),
      valueInfo('position_ids', 'int64', ['batch_size', 'sequence_length']),
    );
    graph.outputs.push(valueInfo('logits', 'float32', ['batch_size', 'sequence_length', config.vocabSize]));
    for (let layer = 0; layer < config.numLayers; layer++)
      for (const part of ['key', 'value']) {
        const shape = (length: string) => ['batch_size', config.numKvHeads, length, config.headDim];
        graph.inputs.push(valueInfo(`past_key_values.${layer}.${part}`, 'float32', shape('past_sequence_length')));
        graph.outputs.push(valueInfo(`present.${layer}.${part}`, 'float32', shape('total_sequence_length')));
      }
  }

  shared(): Shared {
    return this.contrib ? this.sharedContrib() : this.sharedStandard();
  }

  private sharedContrib(): Shared {
    const { graph, config } = this;
    if (config.headDim % 16 !== 0)
      throw new OnnxExportError(
        `head_dim is ${config.headDim}: GroupQueryAttention needs a multiple of 16. Export with standard operators.`,
      );
    const counted = graph.op('mask.counted', 'ReduceSum', ['attention_mask', graph.integers([1])], {
      attributes: { keepdims: 0 },
    });
    const last = graph.op('mask.last', 'Sub', [counted, graph.integers([1])]);
    const length = graph.op('mask.length', 'Gather', [
      graph.op('mask.shape', 'Shape', ['attention_mask']),
      graph.integers([1], true),
    ]);
    const int32 = { attributes: { to: 6 } };
    return {
      cos: this.rotations('cos'),
      sin: this.rotations('sin'),
      bias: '',
      seqlens: graph.op('mask.seqlens', 'Cast', [last], int32),
      total: graph.op('mask.total', 'Cast', [length], int32),
    };
  }

  private sharedStandard(): Shared {
    // (B, S, D / 2) -> (B, 1, S, D / 2)
    const row = (name: 'cos' | 'sin') => {
      const rows = this.graph.op(`rope.${name}.rows`, 'Gather', [this.rotations(name), 'position_ids']);
      return this.graph.op(`rope.${name}`, 'Unsqueeze', [rows, this.graph.integers([1])]);
    };
    return { cos: row('cos'), sin: row('sin'), bias: this.bias(), seqlens: '', total: '' };
  }

  /**
   * (positions, D / 2), in double precision, because a GPU's cosine is only accurate to 2^-11, which caused an error of
   * 2e-3 in the logits. The angle is rounded to f32, as in the original implementation.
   */
  private rotations(name: 'cos' | 'sin'): string {
    const { config } = this;
    const half = config.headDim / 2;
    const positions = this.options.maxPositions ?? Math.min(config.maxPosition, mostPositions);
    const frequencies = ropeInverseFrequencies(config).map(Math.fround);
    const values = Float32Array.from({ length: positions * half }, (_, i) =>
      Math[name](Math.fround(Math.floor(i / half) * frequencies[i % half])),
    );
    return this.graph.floats(`rope.${name}.table`, [positions, half], values);
  }

  /** (B, 1, S, T): 0 for visible keys, `masked` for others. Token s of S is number T - S + s of its row. */
  private bias(): string {
    const { graph } = this;
    const at = (name: string, of: string) =>
      graph.op(name, 'Gather', [graph.op(`${name}.shape`, 'Shape', [of]), graph.integers([1], true)]);
    const total = at('mask.total', 'attention_mask');
    const fresh = at('mask.fresh', 'input_ids');
    const [zero, unit] = [graph.integers([0], true), graph.integers([1], true)];
    const keys = graph.op('mask.keys', 'Range', [zero, total, unit]);
    const first = graph.op('mask.first', 'Sub', [total, fresh]);
    const queries = graph.op('mask.queries', 'Range', [first, total, unit]);
    const rows = graph.op('mask.rows', 'Unsqueeze', [queries, graph.integers([1])]);
    const causal = graph.op('mask.causal', 'LessOrEqual', [keys, rows]);
    const present = graph.op('mask.present', 'Cast', ['attention_mask'], { attributes: { to: 9 } });
    const wide = graph.op('mask.wide', 'Unsqueeze', [present, graph.integers([1, 2])]);
    const visible = graph.op('mask.visible', 'And', [causal, wide]);
    return graph.op('mask.bias', 'Where', [visible, graph.float(0), graph.float(masked)]);
  }

  /** Attention of a layer, before its residual sum. x is the normalised stream (B, S, C). */
  attention(layer: number, x: string, shared: Shared): string {
    const at = `${layerName(layer)}.self_attn`;
    const { numHeads, numKvHeads } = this.config;
    const q = this.headNorm(`${at}.q`, this.linear(`${at}.q_proj`, x), numHeads);
    const k = this.headNorm(`${at}.k`, this.linear(`${at}.k_proj`, x), numKvHeads);
    const v = this.linear(`${at}.v_proj`, x);
    const mixed = this.contrib ? this.fused(layer, q, k, v, shared) : this.unfused(layer, q, k, v, shared);
    return this.linear(`${at}.o_proj`, mixed);
  }

  /** Qwen3's RMSNorm of each head; (B, S, heads D) in and out. */
  private headNorm(name: string, x: string, heads: number): string {
    const { graph, config } = this;
    if (!config.qkNorm) return x;
    const split = graph.op(`${name}.heads`, 'Reshape', [x, graph.integers([0, 0, heads, config.headDim])]);
    const normed = this.norm(`${name}_norm`, split, `${name}_norm.weight`);
    return graph.op(`${name}.flat`, 'Reshape', [normed, graph.integers([0, 0, heads * config.headDim])]);
  }

  private fused(layer: number, q: string, k: string, v: string, { seqlens, total, cos, sin }: Shared): string {
    const { numHeads, numKvHeads, headDim } = this.config;
    const past = (part: string) => `past_key_values.${layer}.${part}`;
    const present = (part: string) => `present.${layer}.${part}`;
    const name = `${layerName(layer)}.self_attn.mixed`;
    const attributes = {
      num_heads: numHeads,
      kv_num_heads: numKvHeads,
      scale: { float: 1 / Math.sqrt(headDim) },
      do_rotary: 1,
      rotary_interleaved: 0,
    };
    return this.graph.ops(
      name,
      'GroupQueryAttention',
      [q, k, v, past('key'), past('value'), seqlens, total, cos, sin],
      [name, present('key'), present('value')],
      { attributes, domain: 'com.microsoft' },
    )[0];
  }

  /**
   * Multiplies the queries of a group with its key head in one product, (B, KV, H / KV S, D) x (B, KV, D, T), so that
   * no key is repeated.
   */
  private unfused(layer: number, q: string, k: string, v: string, shared: Shared): string {
    const { graph } = this;
    const { numHeads: H, numKvHeads: KV, headDim: D } = this.config;
    const at = `${layerName(layer)}.self_attn`;
    const query = this.rotated(`${at}.q`, this.byHead(`${at}.q`, q, H), shared);
    const key = this.cached(layer, 'key', this.rotated(`${at}.k`, this.byHead(`${at}.k`, k, KV), shared));
    const value = this.cached(layer, 'value', this.byHead(`${at}.v`, v, KV));
    const scaled = graph.op(`${at}.q.scaled`, 'Mul', [query, graph.float(1 / Math.sqrt(D))]);
    // 0 copies the batch size; -1 is inferred: H / KV * S.
    const grouped = graph.op(`${at}.q.grouped`, 'Reshape', [scaled, graph.integers([0, KV, -1, D])]);
    const keys = graph.op(`${at}.keys`, 'Transpose', [key], { attributes: { perm: [0, 1, 3, 2] } });
    const products = graph.op(`${at}.products`, 'MatMul', [grouped, keys]);
    const shape = graph.op(`${at}.scores.shape`, 'Concat', [graph.integers([0, H]), this.queriesAndKeys()], {
      attributes: { axis: 0 },
    });
    const scores = graph.op(`${at}.scores`, 'Reshape', [products, shape]);
    const visible = graph.op(`${at}.visible`, 'Add', [scores, shared.bias]);
    const weights = graph.op(`${at}.weights`, 'Softmax', [visible], { attributes: { axis: -1 } });
    const back = graph.op(`${at}.weights.grouped`, 'Reshape', [weights, this.groupedShape()]);
    const mixed = graph.op(`${at}.mixed.grouped`, 'MatMul', [back, value]);
    return this.flatHeads(`${at}.mixed`, mixed);
  }

  /** [S, T] */
  private queriesAndKeys(): string {
    return this.once('shape.queriesAndKeys', () => {
      const list = (name: string, of: string) => this.graph.op(name, 'Unsqueeze', [of, this.graph.integers([0])]);
      return this.graph.op(
        'shape.queriesAndKeys',
        'Concat',
        [list('shape.queries', 'mask.fresh'), list('shape.keys', 'mask.total')],
        { attributes: { axis: 0 } },
      );
    });
  }

  /** [0, KV, -1, T] */
  private groupedShape(): string {
    return this.once('shape.grouped', () =>
      this.graph.op('shape.grouped', 'Concat', [this.graph.integers([0, this.config.numKvHeads, -1]), 'shape.keys'], {
        attributes: { axis: 0 },
      }),
    );
  }

  private readonly made = new Set<string>();
  private once(name: string, make: () => string): string {
    if (this.made.has(name)) return name;
    this.made.add(name);
    return make();
  }

  /** (B, S, heads D) -> (B, heads, S, D) */
  private byHead(name: string, x: string, heads: number): string {
    const shape = this.graph.integers([0, 0, heads, this.config.headDim]);
    const split = this.graph.op(`${name}.split`, 'Reshape', [x, shape]);
    return this.graph.op(`${name}.byHead`, 'Transpose', [split], { attributes: { perm: [0, 2, 1, 3] } });
  }

  /** (B, KV, H / KV S, D) -> (B, S, H D) */
  private flatHeads(name: string, x: string): string {
    const { graph } = this;
    const { numHeads: H, headDim: D } = this.config;
    const split = graph.op(`${name}.split`, 'Reshape', [x, graph.integers([0, H, -1, D])]);
    const rows = graph.op(`${name}.rows`, 'Transpose', [split], { attributes: { perm: [0, 2, 1, 3] } });
    return graph.op(name, 'Reshape', [rows, graph.integers([0, 0, H * D])]);
  }

  /** Rotary positions on paired halves: (a, b) -> (a cos - b sin, b cos + a sin). */
  private rotated(name: string, x: string, { cos, sin }: Shared): string {
    const { graph } = this;
    const half = this.config.headDim / 2;
    const [a, b] = graph.ops(
      `${name}.halves`,
      'Split',
      [x, graph.integers([half, half])],
      [`${name}.first`, `${name}.second`],
      { attributes: { axis: -1 } },
    );
    const times = (of: string, by: string, what: string) => graph.op(`${name}.${what}`, 'Mul', [of, by]);
    const first = graph.op(`${name}.turned.first`, 'Sub', [times(a, cos, 'a.cos'), times(b, sin, 'b.sin')]);
    const second = graph.op(`${name}.turned.second`, 'Add', [times(b, cos, 'b.cos'), times(a, sin, 'a.sin')]);
    return graph.op(`${name}.turned`, 'Concat', [first, second], { attributes: { axis: -1 } });
  }

  /** Appends this step's keys or values to the cache, under the name of the output. */
  private cached(layer: number, part: 'key' | 'value', x: string): string {
    return this.graph.op(`present.${layer}.${part}`, 'Concat', [`past_key_values.${layer}.${part}`, x], {
      attributes: { axis: 2 },
    });
  }

  mlp(layer: number, x: string): string {
    const at = `${layerName(layer)}.mlp`;
    const { graph } = this;
    const gate = this.linear(`${at}.gate_proj`, x);
    const silu = graph.op(`${at}.silu`, 'Mul', [gate, graph.op(`${at}.sigmoid`, 'Sigmoid', [gate])]);
    return this.linear(`${at}.down_proj`, graph.op(`${at}.gated`, 'Mul', [silu, this.linear(`${at}.up_proj`, x)]));
  }

  /** A tied head transposes the embedding in the graph, so that the table is stored once. */
  head(x: string): void {
    const { graph, config } = this;
    const name = config.tieWordEmbeddings ? 'model.embed_tokens.weight' : 'lm_head.weight';
    const bits = this.bits('table');
    if (bits) return void this.packedProduct('logits', x, name, bits);
    const table = graph.floats(name, [config.vocabSize, config.hiddenSize], this.tensor(name).data);
    const columns = graph.op('head.columns', 'Transpose', [table], { attributes: { perm: [1, 0] } });
    graph.op('logits', 'MatMul', [x, columns]);
  }

  /** f32 table from which rows are gathered. With packed weights it holds the dequantised values. */
  private embedding(): string {
    const name = 'model.embed_tokens.weight';
    const { vocabSize, hiddenSize } = this.config;
    const { data } = this.tensor(name);
    const bits = this.bits('table');
    const values = bits ? dequantizeRows(quantizeRows(bits, data, hiddenSize, { name })) : data;
    return this.graph.floats(name, [vocabSize, hiddenSize], values);
  }

  run(): OnnxFiles {
    const { graph, config, options } = this;
    this.signature();
    const shared = this.shared();
    const table = this.embedding();
    let stream = graph.op('embedded', 'Gather', [table, 'input_ids']);
    let normed = this.norm(`${layerName(0)}.normed`, stream, `${layerName(0)}.input_layernorm.weight`);
    for (let layer = 0; layer < config.numLayers; layer++) {
      const at = layerName(layer);
      const attended = this.attention(layer, normed, shared);
      [normed, stream] = this.addAndNorm(`${at}.between`, stream, attended, `${at}.post_attention_layernorm.weight`);
      const next =
        layer + 1 < config.numLayers ? `${layerName(layer + 1)}.input_layernorm.weight` : 'model.norm.weight';
      [normed, stream] = this.addAndNorm(`${at}.after`, stream, this.mlp(layer, normed), next);
    }
    this.head(normed);
    const bytes = [...parameterShapes(config).values()].reduce((sum, s) => sum + 4 * s.reduce((a, b) => a * b, 1), 0);
    const metadata = { 'tabgym.config': writeConfig(config) };
    return graph.files('policy', opsets, metadata, options.external ?? bytes >= externalFrom);
  }
}

/**
 * Files of the exported model. Throws OnnxExportError for a missing tensor, or a shape that an operator does not
 * support.
 */
export function exportOnnx(config: ModelConfig, tensors: TensorMap, options: OnnxExportOptions): OnnxFiles {
  if (options.operators === 'standard' && (options.weights ?? 'float32') !== 'float32')
    throw new OnnxExportError(
      `${options.weights} weights need MatMulNBits: export with contrib operators, or float32.`,
    );
  return new Exporter(config, tensors, options).run();
}
