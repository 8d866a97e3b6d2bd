/**
 * The same small transformer in jax-js (@jax-js/jax, MIT): loss, gradients, clipping and AdamW under `jit`, as its
 * documentation advises, except for the embedding's gather and scatter, which its jit does not support. jax-js counts
 * references: a function consumes its arguments, and `.ref` keeps one for later.
 */
import { defaultDevice, init, jit, nn, numpy as np, valueAndGrad, vjp } from '@jax-js/jax';
import { type ModelConfig, ropeInverseFrequencies } from '../../src/policy/config.ts';
import type { OptimizerSettings, TensorMap } from '../../src/policy/policy.ts';

type Tensors = { [name: string]: np.Array };

interface Sizes {
  rows: number;
  length: number;
}

/** x / sqrt(mean(x^2) + eps) * gain over the last axis. */
function rmsnorm(x: np.Array, gain: np.Array, eps: number): np.Array {
  const mean = np.mean(np.square(x.ref), -1, { keepdims: true });
  return x.div(np.sqrt(mean.add(eps))).mul(gain);
}

/** (B, S, heads, D), with halves paired; cos and sin are (S, 1, D / 2). */
function rotate(x: np.Array, cos: np.Array, sin: np.Array): np.Array {
  const [a, b] = np.split(x, 2, -1);
  const first = a.ref.mul(cos.ref).sub(b.ref.mul(sin.ref));
  const second = b.mul(cos).add(a.mul(sin));
  return np.concatenate([first, second], -1);
}

function attention(
  config: ModelConfig,
  { rows, length }: Sizes,
  p: Tensors,
  at: string,
  x: np.Array,
  rope: np.Array[],
) {
  const { numHeads, numKvHeads, headDim, qkNorm, rmsNormEps } = config;
  const project = (name: string, heads: number, from: np.Array) =>
    np.matmul(from, np.transpose(p[`${at}.${name}_proj.weight`].ref)).reshape([rows, length, heads, headDim]);
  const normed = (name: string, h: np.Array) =>
    qkNorm ? rmsnorm(h, p[`${at}.${name}_norm.weight`].ref, rmsNormEps) : h;
  const turned = (name: string, heads: number) =>
    rotate(normed(name, project(name, heads, x.ref)), rope[0].ref, rope[1].ref);
  const [q, k] = [turned('q', numHeads), turned('k', numKvHeads)];
  const mixed = nn.dotProductAttention(q, k, project('v', numKvHeads, x), { isCausal: true });
  const flat = mixed.reshape([rows, length, numHeads * headDim]);
  return np.matmul(flat, np.transpose(p[`${at}.o_proj.weight`].ref));
}

function mlp(p: Tensors, at: string, x: np.Array): np.Array {
  const project = (name: string, from: np.Array) => np.matmul(from, np.transpose(p[`${at}.${name}_proj.weight`].ref));
  const gate = nn.silu(project('gate', x.ref));
  return project('down', gate.mul(project('up', x)));
}

/**
 * Mean of -log p of each token given those before it in its row. `x0` (B S, C) are embeddings, `targets` (B, S - 1, V)
 * one-hot.
 */
function lossOf(config: ModelConfig, sizes: Sizes, p: Tensors, x0: np.Array, targets: np.Array, rope: np.Array[]) {
  const { rows, length } = sizes;
  const { hiddenSize, numLayers, rmsNormEps, tieWordEmbeddings } = config;
  let x = x0.reshape([rows, length, hiddenSize]);
  for (let layer = 0; layer < numLayers; layer++) {
    const at = `model.layers.${layer}`;
    const first = rmsnorm(x.ref, p[`${at}.input_layernorm.weight`].ref, rmsNormEps);
    x = x.add(attention(config, sizes, p, `${at}.self_attn`, first, rope));
    const second = rmsnorm(x.ref, p[`${at}.post_attention_layernorm.weight`].ref, rmsNormEps);
    x = x.add(mlp(p, `${at}.mlp`, second));
  }
  for (const each of rope) each.dispose();
  const [seen, last] = np.split(rmsnorm(x, p['model.norm.weight'].ref, rmsNormEps), [length - 1], 1);
  last.dispose();
  const head = p[tieWordEmbeddings ? 'model.embed_tokens.weight' : 'lm_head.weight'].ref;
  const logits = np.matmul(seen, np.transpose(head));
  const chosen = np.sum(nn.logSoftmax(logits, -1).mul(targets), -1);
  for (const each of Object.values(p)) each.dispose();
  return np.mean(chosen).neg();
}

export interface JaxTraining {
  /** Takes a step; returns loss and gradient norm before it. */
  step(): Promise<{ loss: number; gradNorm: number }>;
}

/** `ids`: rows of equal length, one after the other. */
export async function jaxTraining(
  device: 'webgpu' | 'wasm',
  config: ModelConfig,
  tensors: TensorMap,
  ids: Int32Array,
  sizes: Sizes,
  settings: OptimizerSettings,
): Promise<JaxTraining> {
  await init(device);
  defaultDevice(device);
  const { rows, length } = sizes;
  const { learningRate, beta1, beta2, epsilon, weightDecay, maxGradNorm } = settings;
  const array = (data: Float32Array, shape: readonly number[]) => np.array(data).reshape([...shape]);
  const names = [...tensors.keys()];
  const all = (make: (name: string) => np.Array): Tensors => Object.fromEntries(names.map((n) => [n, make(n)]));
  let state = {
    p: all((name) => array(tensors.get(name)!.data, tensors.get(name)!.shape)),
    m: all((name) => np.zeros(tensors.get(name)!.shape)),
    v: all((name) => np.zeros(tensors.get(name)!.shape)),
  };
  const half = config.headDim / 2;
  const frequencies = ropeInverseFrequencies(config);
  const angles = Float32Array.from({ length: length * half }, (_, i) => Math.floor(i / half) * frequencies[i % half]);
  const rope = [Math.cos, Math.sin].map((f) => array(angles.map(f), [length, 1, half]));
  const inputs = np.array(ids, { dtype: np.int32 });
  const next = Int32Array.from({ length: rows * (length - 1) }, (_, i) => {
    const row = Math.floor(i / (length - 1));
    return ids[row * length + (i % (length - 1)) + 1];
  });
  // Targets are selected by a product with one-hot rows, because jax-js 0.1 cannot scatter computed values inside a
  // jit.
  const targets = nn.oneHot(np.array(next, { dtype: np.int32 }).reshape([rows, length - 1]), config.vocabSize);

  const embedding = 'model.embed_tokens.weight';
  const withGradient = valueAndGrad(
    (p: Tensors, x: np.Array, t: np.Array, cos: np.Array, sin: np.Array) => lossOf(config, sizes, p, x, t, [cos, sin]),
    { argnums: [0, 1] },
  );
  const backward = jit(withGradient);
  const copies = (of: Tensors): Tensors => Object.fromEntries(names.map((n) => [n, of[n].ref]));
  type State = typeof state;
  const adamw = jit((s: State, gradient: Tensors, c1: np.Array, c2: np.Array) => {
    const norm = np.sqrt(names.map((n) => np.sum(np.square(gradient[n].ref))).reduce((a, b) => a.add(b)));
    const clip = np.minimum(np.array(1), np.array(maxGradNorm).div(norm.ref.add(1e-6)));
    const out: State = { p: {}, m: {}, v: {} };
    for (const n of names) {
      const g = gradient[n].mul(clip.ref);
      const m = s.m[n].mul(beta1).add(g.ref.mul(1 - beta1));
      const v = s.v[n].mul(beta2).add(np.square(g).mul(1 - beta2));
      const direction = m.ref.div(c1.ref).div(np.sqrt(v.ref.div(c2.ref)).add(epsilon));
      out.p[n] = s.p[n].ref.sub(direction.add(s.p[n].mul(weightDecay)).mul(learningRate));
      out.m[n] = m;
      out.v[n] = v;
    }
    for (const each of [clip, c1, c2]) each.dispose();
    return { state: out, norm };
  });

  let t = 0;
  return {
    async step() {
      t += 1;
      const lookup = (table: np.Array) => np.take(table, inputs.ref, 0);
      const [x, intoTable] = vjp(lookup, [state.p[embedding].ref]);
      const [value, [gradient, dx]] = backward(
        copies(state.p),
        x,
        targets.ref,
        rope[0].ref,
        rope[1].ref,
      ) as unknown as [np.Array, [Tensors, np.Array]];
      const [dtable] = intoTable(dx) as unknown as [np.Array];
      intoTable.dispose();
      gradient[embedding] = config.tieWordEmbeddings ? gradient[embedding].add(dtable) : dtable;
      const corrections = [np.array(1 - beta1 ** t), np.array(1 - beta2 ** t)];
      const result = adamw(state, gradient, corrections[0], corrections[1]);
      state = result.state as State;
      const [[loss], [gradNorm]] = [await value.data(), await result.norm.data()];
      return { loss, gradNorm };
    },
  };
}
