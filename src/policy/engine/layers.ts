/**
 * Transformer layers, forward and backward, as recorded dispatches. The first layers, as many as the plan has room for,
 * keep the activations that their backward reads. Of the others only the inputs are kept, and the backward recomputes
 * each layer from its input (gradient checkpointing, Chen et al. 2016, https://arxiv.org/abs/1604.06174) before applying
 * the chain rule.
 *
 * Shapes: T tokens, h hidden, I intermediate, H query heads, KV key heads, D head size.
 */
import { type BufferSlice, slice } from '../../device/device.ts';
import type { ModelConfig } from '../config.ts';
import { type AttentionActivation, type FeedForwardActivation, ownName, ownPiece } from '../plan/layer-buffers.ts';
import type { Capacity } from '../policy.ts';
import type { Weights } from '../weights/linear.ts';
import { layerOperands } from '../weights/parameters.ts';
import {
  type AttentionPass,
  type AttentionShape,
  type CacheFormat,
  type DecodeRow,
  decodeTiles,
  mostSplits,
  tileWords,
  tokenTiles,
} from './attention.ts';
import type { Operations } from './operations.ts';
import type { Workspace } from './workspace.ts';

/** Tokens of one pass: their number, their query-key pairs, and the K/V rows they write and read. */
export interface Pass {
  T: number;
  pairs: number;
  /** K/V of layer l: the decoding cache, or the batch's own. */
  cache: (layer: number) => BufferSlice;
  /** Uploaded tiles, and layout of the K/V rows. */
  attention: AttentionPass;
}

/**
 * Consecutive tokens of a pass, and their place among its pieces. `first` is a multiple of 64, so that any row of floats
 * starts at a valid binding offset.
 */
interface Rows {
  piece: number;
  first: number;
  count: number;
}

export class Layers {
  readonly shape: AttentionShape;

  constructor(
    readonly config: ModelConfig,
    readonly ops: Operations,
    readonly ws: Workspace,
  ) {
    this.shape = {
      heads: config.numHeads,
      kvHeads: config.numKvHeads,
      headDim: config.headDim,
      eps: config.rmsNormEps,
    };
  }

  /** True if layer l keeps its activations. */
  private keeps(l: number): boolean {
    return this.ws.has(ownName('normed', l));
  }

  /** Activation of layer l: its own, or the one that layers share. */
  activation(name: AttentionActivation, l: number): BufferSlice {
    const own = ownName(name, l);
    return this.ws.slice(this.ws.has(own) ? own : name);
  }

  /** Some rows of a feed-forward activation of layer l. The shared buffers hold one piece at a time. */
  private piece(name: FeedForwardActivation, l: number, { piece }: Rows): BufferSlice {
    return this.ws.slice(this.keeps(l) ? ownPiece(name, l, piece) : name);
  }

  /**
   * Uploads the tiles of a pass over these tokens (described as in shaders/token.wgsl), if the form uses tiles. If
   * `across` is true, a tile may span consecutive sequences of a packed batch.
   */
  describeAttention(words: Uint32Array, format: CacheFormat, across: boolean): AttentionPass {
    const pass: AttentionPass = { kind: 'batch', tiles: 0, format };
    if (this.ops.attentionForm(this.shape, pass) === 'thread') return pass;
    const tiles = tokenTiles(words, this.shape, across);
    this.ops.recorder.upload(this.ws.buffer('tiles'), 0, tiles);
    return { ...pass, tiles: tiles.length / tileWords };
  }

  /** Uploads the tiles of a decoding step of these rows, if the form uses tiles. */
  describeDecoding(rows: readonly DecodeRow[], capacity: Capacity, format: CacheFormat): AttentionPass {
    const splits = mostSplits(capacity.promptTokens, capacity.completionTokens);
    const pass: AttentionPass = { kind: 'decode', tiles: 0, format, ...splits };
    if (this.ops.attentionForm(this.shape, pass) === 'thread') return pass;
    const tiles = decodeTiles(rows, this.shape);
    this.ops.recorder.upload(this.ws.buffer('tiles'), 0, tiles);
    return { ...pass, tiles: tiles.length / tileWords };
  }

  /** Embeds `ids` and runs every layer. The last layer's output is `layerInput.L`. */
  forward(weights: Weights, pass: Pass): void {
    const { ws, config } = this;
    weights.embed(ws.slice('ids'), ws.slice('layerInput.0'), pass.T);
    for (let l = 0; l < config.numLayers; l++) {
      this.attentionHalf(weights, pass, l);
      for (const rows of this.pieces(pass.T)) {
        this.mlpHalf(weights, rows, l);
        const { down } = layerOperands(l);
        const out = this.rows(ws.slice(`layerInput.${l + 1}`), rows);
        weights.forward(down, this.piece('activated', l, rows), out, rows.count, {
          residual: this.rows(this.activation('middle', l), rows),
          first: rows.first,
        });
      }
    }
  }

  /**
   * Splits T tokens into pieces whose gate and up values fit the planned buffer. The feed-forward block processes them
   * one after another.
   */
  private pieces(T: number): Rows[] {
    const most = Math.floor(this.ws.buffer('gateUp').size / (8 * this.config.intermediateSize));
    const list: Rows[] = [];
    for (let first = 0; first < T; first += most)
      list.push({ piece: list.length, first, count: Math.min(most, T - first) });
    return list;
  }

  /** Rows of a buffer (T, h). */
  private rows({ buffer }: BufferSlice, { first, count }: Rows): BufferSlice {
    const width = this.config.hiddenSize;
    return slice(buffer, first * width * 4, count * width * 4);
  }

  /** middle = x + attention(norm(x)). `again`: in the backward of the same pass. */
  private attentionHalf(weights: Weights, pass: Pass, l: number, again = false): void {
    const { ws, ops, config, shape } = this;
    const names = layerOperands(l);
    const x = ws.slice(`layerInput.${l}`);
    const norm = {
      inp: x,
      gain: weights.vector(names.norm1),
      rstd: this.activation('rstd1', l),
      eps: config.rmsNormEps,
    };
    weights.forward(names.qkv, this.activation('normed', l), this.activation('qkv', l), pass.T, { norm, again });
    const gains = config.qkNorm ? weights.vector(names.headGains) : null;
    const cache = pass.cache(l);
    ops.rope(
      shape,
      {
        tokens: ws.slice('tokens'),
        qkv: this.activation('qkv', l),
        table: ws.slice('rope'),
        gains,
        pages: ws.slice('pages'),
        query: this.activation('query', l),
        cache,
      },
      pass.T,
      pass.attention.format,
    );
    ops.attention(
      shape,
      {
        tokens: ws.slice('tokens'),
        tiles: ws.slice('tiles'),
        pages: ws.slice('pages'),
        query: this.activation('query', l),
        cache,
        partials: ws.slice('attentionPartials'),
        out: this.activation('attended', l),
        lse: this.activation('lse', l),
      },
      pass.T,
      pass.pairs,
      pass.attention,
    );
    weights.forward(names.output, this.activation('attended', l), this.activation('middle', l), pass.T, {
      residual: x,
      again,
    });
  }

  /**
   * activated = silu(gate) * up of norm(middle), for some rows. The caller applies the down projection. `again`: as of
   * `attentionHalf`.
   */
  private mlpHalf(weights: Weights, rows: Rows, l: number, again = false): void {
    const { ops, config } = this;
    const names = layerOperands(l);
    const { intermediateSize: I } = config;
    const gain = weights.vector(names.norm2);
    const inp = this.rows(this.activation('middle', l), rows);
    const norm = { inp, gain, rstd: this.piece('rstd2', l, rows), eps: config.rmsNormEps };
    const normed2 = this.piece('normed2', l, rows);
    const [gateUp, activated] = [this.piece('gateUp', l, rows), this.piece('activated', l, rows)];
    const isFused = weights.activates(names.gateUp, rows.count);
    const { first, count } = rows;
    weights.forward(names.gateUp, normed2, gateUp, count, { norm, first, again, ...(isFused ? { activated } : {}) });
    if (!isFused) ops.swiglu(gateUp, activated, rows.count, I);
  }

  /**
   * Computes, from `dlayer` = gradient of layerInput.L, the gradients of every trained weight (accumulated) and of the
   * embeddings (left in `dlayer`). Runs directly after the forward of the same pass, so the activations of the last
   * layer and of those that keep theirs are still valid and are not recomputed.
   */
  backward(weights: Weights, pass: Pass): void {
    const last = this.config.numLayers - 1;
    const pieces = this.pieces(pass.T);
    for (let l = last; l >= 0; l--) {
      const isKept = this.keeps(l);
      if (!isKept && l !== last) this.attentionHalf(weights, pass, l, true);
      for (const rows of pieces) {
        if (!isKept && (l !== last || pieces.length > 1)) this.mlpHalf(weights, rows, l, true);
        this.mlpBackward(weights, rows, l);
      }
      this.attentionBackward(weights, pass, l);
    }
  }

  /** dlayer -> dmiddle, for some rows. */
  private mlpBackward(weights: Weights, rows: Rows, l: number): void {
    const { ws, ops, config } = this;
    const names = layerOperands(l);
    const { hiddenSize: h, intermediateSize: I } = config;
    const T = rows.count;
    const partials = ws.slice('partials');
    const dout = this.rows(ws.slice('dlayer'), rows);
    const [gateUp, activated, dactivated] = [
      this.piece('gateUp', l, rows),
      this.piece('activated', l, rows),
      ws.slice('dactivated'),
    ];
    const { first } = rows;
    if (weights.fusesGradients(names.down, T))
      weights.backward(names.down, dout, activated, gateUp, T, { gated: true, first });
    else {
      weights.backward(names.down, dout, activated, dactivated, T, { first });
      ops.swigluBackward(dactivated, gateUp, T, I);
    }
    weights.backward(names.gateUp, gateUp, this.piece('normed2', l, rows), ws.slice('dnormed'), T, { first });
    ops.rmsnormBackward(
      {
        inp: this.rows(this.activation('middle', l), rows),
        gain: weights.vector(names.norm2),
        rstd: this.piece('rstd2', l, rows),
        dout: ws.slice('dnormed'),
        dresidual: dout,
        dinp: this.rows(ws.slice('dmiddle'), rows),
        dgain: weights.gradient(names.norm2),
        partials,
      },
      T,
      h,
    );
  }

  /** dmiddle -> dlayer, which then is the gradient of this layer's input. */
  private attentionBackward(weights: Weights, pass: Pass, l: number): void {
    const { ws, ops, config, shape } = this;
    const names = layerOperands(l);
    const h = config.hiddenSize;
    const T = pass.T;
    const partials = ws.slice('partials');
    const dout = ws.slice('dmiddle');
    weights.backward(names.output, dout, this.activation('attended', l), ws.slice('dattended'), T);
    const tokens = ws.slice('tokens');
    ops.attentionBackward(
      shape,
      {
        tokens,
        tiles: ws.slice('tiles'),
        query: this.activation('query', l),
        cache: pass.cache(l),
        attended: this.activation('attended', l),
        lse: this.activation('lse', l),
        dout: ws.slice('dattended'),
        dquery: ws.slice('dquery'),
        delta: ws.slice('delta'),
        dcache: ws.slice('dkv'),
      },
      T,
      pass.pairs,
      pass.attention,
    );
    const gains = config.qkNorm ? weights.vector(names.headGains) : null;
    ops.ropeBackward(
      shape,
      {
        tokens,
        qkv: this.activation('qkv', l),
        table: ws.slice('rope'),
        gains,
        dquery: ws.slice('dquery'),
        dcache: ws.slice('dkv'),
        dqkv: ws.slice('dqkv'),
        dgains: ws.slice('dgains'),
      },
      T,
    );
    const dheadGains = gains && weights.gradient(names.headGains);
    if (dheadGains) ops.headGainsBackward(shape, ws.slice('dgains'), partials, dheadGains, T);
    weights.backward(names.qkv, ws.slice('dqkv'), this.activation('normed', l), ws.slice('dnormed'), T);
    ops.rmsnormBackward(
      {
        inp: ws.slice(`layerInput.${l}`),
        gain: weights.vector(names.norm1),
        rstd: this.activation('rstd1', l),
        dout: ws.slice('dnormed'),
        dresidual: dout,
        dinp: ws.slice('dlayer'),
        dgain: weights.gradient(names.norm1),
        partials,
      },
      T,
      h,
    );
  }
}
