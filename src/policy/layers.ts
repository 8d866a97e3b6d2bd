/**
 * The transformer's layers, forward and backward, as recorded dispatches. Only the input of each layer is kept; the backward
 * recomputes the layer from it (gradient checkpointing, Chen et al. 2016) and then runs the chain rule in reverse.
 *
 * Shapes: T tokens, h hidden, I intermediate, H query heads, KV key heads, D head size.
 */
import type { BufferSlice } from '../gpu/kernel.ts';
import type { ModelConfig } from './config.ts';
import type { AttentionShape, Operations } from './operations.ts';
import { layerOperands, type ParameterSet } from './parameters.ts';
import type { Workspace } from './workspace.ts';

/** The tokens of one pass: how many, their query-key pairs, and which K/V rows they write to and read. */
export interface Pass {
  T: number;
  pairs: number;
  /** K/V of layer l: the decoding cache, or the batch's own. */
  cache: (layer: number) => BufferSlice;
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

  /** Embeds `ids` and runs every layer; the last layer's output is `layerInput.L`. */
  forward(weights: ParameterSet, pass: Pass): void {
    const { ws, ops, config } = this;
    ops.embed(ws.slice('ids'), weights.slice('embedding'), ws.slice('layerInput.0'), pass.T, config.hiddenSize);
    for (let l = 0; l < config.numLayers; l++) {
      this.attentionHalf(weights, pass, l);
      this.mlpHalf(weights, pass, l);
      const { hiddenSize: h, intermediateSize: I } = config;
      const down = weights.slice(layerOperands(l).down);
      ops.matmulNT(ws.slice('activated'), down, ws.slice(`layerInput.${l + 1}`), pass.T, h, I, {
        residual: ws.slice('middle'),
      });
    }
  }

  /** middle = x + attention(norm(x)). */
  private attentionHalf(weights: ParameterSet, pass: Pass, l: number): void {
    const { ws, ops, config, shape } = this;
    const names = layerOperands(l);
    const { hiddenSize: h, numHeads: H, numKvHeads: KV, headDim: D } = config;
    const x = ws.slice(`layerInput.${l}`);
    ops.rmsnorm(x, weights.slice(names.norm1), ws.slice('normed'), ws.slice('rstd1'), pass.T, h, config.rmsNormEps);
    const bias = config.qkvBias ? weights.slice(names.qkvBias) : undefined;
    ops.matmulNT(ws.slice('normed'), weights.slice(names.qkv), ws.slice('qkv'), pass.T, (H + 2 * KV) * D, h, { bias });
    const gains = config.qkNorm ? weights.slice(names.headGains) : null;
    const cache = pass.cache(l);
    ops.rope(
      shape,
      {
        tokens: ws.slice('tokens'),
        qkv: ws.slice('qkv'),
        table: ws.slice('rope'),
        gains,
        query: ws.slice('query'),
        cache,
      },
      pass.T,
    );
    ops.attention(
      shape,
      { tokens: ws.slice('tokens'), query: ws.slice('query'), cache, out: ws.slice('attended'), lse: ws.slice('lse') },
      pass.T,
      pass.pairs,
    );
    ops.matmulNT(ws.slice('attended'), weights.slice(names.output), ws.slice('middle'), pass.T, h, H * D, {
      residual: x,
    });
  }

  /** activated = silu(gate) * up of norm(middle); the caller applies the down projection. */
  private mlpHalf(weights: ParameterSet, pass: Pass, l: number): void {
    const { ws, ops, config } = this;
    const names = layerOperands(l);
    const { hiddenSize: h, intermediateSize: I } = config;
    ops.rmsnorm(
      ws.slice('middle'),
      weights.slice(names.norm2),
      ws.slice('normed2'),
      ws.slice('rstd2'),
      pass.T,
      h,
      config.rmsNormEps,
    );
    ops.matmulNT(ws.slice('normed2'), weights.slice(names.gateUp), ws.slice('gateUp'), pass.T, 2 * I, h);
    ops.swiglu(ws.slice('gateUp'), ws.slice('activated'), pass.T, I);
  }

  /**
   * From `dlayer` = gradient of layerInput.L to the gradients of every weight (added to `grads`) and of the embeddings, left in
   * `dlayer`.
   */
  backward(weights: ParameterSet, grads: ParameterSet, pass: Pass): void {
    for (let l = this.config.numLayers - 1; l >= 0; l--) {
      this.attentionHalf(weights, pass, l);
      this.mlpHalf(weights, pass, l);
      this.mlpBackward(weights, grads, pass, l);
      this.attentionBackward(weights, grads, pass, l);
    }
  }

  /** dlayer -> dmiddle. */
  private mlpBackward(weights: ParameterSet, grads: ParameterSet, pass: Pass, l: number): void {
    const { ws, ops, config } = this;
    const names = layerOperands(l);
    const { hiddenSize: h, intermediateSize: I } = config;
    const T = pass.T;
    const partials = ws.slice('partials');
    const dout = ws.slice('dlayer');
    ops.matmulNN(dout, weights.slice(names.down), ws.slice('dactivated'), T, h, I);
    ops.matmulTN(dout, ws.slice('activated'), grads.slice(names.down), partials, T, h, I);
    ops.swigluBackward(ws.slice('dactivated'), ws.slice('gateUp'), T, I);
    ops.matmulNN(ws.slice('gateUp'), weights.slice(names.gateUp), ws.slice('dnormed'), T, 2 * I, h);
    ops.matmulTN(ws.slice('gateUp'), ws.slice('normed2'), grads.slice(names.gateUp), partials, T, 2 * I, h);
    ops.rmsnormBackward(
      {
        inp: ws.slice('middle'),
        gain: weights.slice(names.norm2),
        rstd: ws.slice('rstd2'),
        dout: ws.slice('dnormed'),
        dresidual: dout,
        dinp: ws.slice('dmiddle'),
        dgain: grads.slice(names.norm2),
        partials,
      },
      T,
      h,
    );
  }

  /** dmiddle -> dlayer, now the gradient of this layer's input. */
  private attentionBackward(weights: ParameterSet, grads: ParameterSet, pass: Pass, l: number): void {
    const { ws, ops, config, shape } = this;
    const names = layerOperands(l);
    const { hiddenSize: h, numHeads: H, numKvHeads: KV, headDim: D } = config;
    const T = pass.T;
    const heads = (H + 2 * KV) * D;
    const partials = ws.slice('partials');
    const dout = ws.slice('dmiddle');
    ops.matmulNN(dout, weights.slice(names.output), ws.slice('dattended'), T, h, H * D);
    ops.matmulTN(dout, ws.slice('attended'), grads.slice(names.output), partials, T, h, H * D);
    const tokens = ws.slice('tokens');
    ops.attentionBackward(
      shape,
      {
        tokens,
        query: ws.slice('query'),
        cache: pass.cache(l),
        attended: ws.slice('attended'),
        lse: ws.slice('lse'),
        dout: ws.slice('dattended'),
        dquery: ws.slice('dquery'),
        delta: ws.slice('delta'),
        dcache: ws.slice('dkv'),
      },
      T,
      pass.pairs,
    );
    const gains = config.qkNorm ? weights.slice(names.headGains) : null;
    ops.ropeBackward(
      shape,
      {
        tokens,
        qkv: ws.slice('qkv'),
        table: ws.slice('rope'),
        gains,
        dquery: ws.slice('dquery'),
        dcache: ws.slice('dkv'),
        dqkv: ws.slice('dqkv'),
        dgains: ws.slice('dgains'),
      },
      T,
    );
    if (gains) ops.headGainsBackward(shape, ws.slice('dgains'), partials, grads.slice(names.headGains), T);
    if (config.qkvBias) {
      const chunks = ops.columnSum(ws.slice('dqkv'), partials, T, heads);
      ops.reducePartials(partials, grads.slice(names.qkvBias), heads, chunks);
    }
    ops.matmulNN(ws.slice('dqkv'), weights.slice(names.qkv), ws.slice('dnormed'), T, heads, h);
    ops.matmulTN(ws.slice('dqkv'), ws.slice('normed'), grads.slice(names.qkv), partials, T, heads, h);
    ops.rmsnormBackward(
      {
        inp: ws.slice(`layerInput.${l}`),
        gain: weights.slice(names.norm1),
        rstd: ws.slice('rstd1'),
        dout: ws.slice('dnormed'),
        dresidual: dout,
        dinp: ws.slice('dlayer'),
        dgain: grads.slice(names.norm1),
        partials,
      },
      T,
      h,
    );
  }
}
