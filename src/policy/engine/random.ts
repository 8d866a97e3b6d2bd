/**
 * Counter-based random numbers, the twin of shaders/random.wgsl: pcg4d (Jarzynski and Olano, "Hash functions for GPU
 * rendering", JCGT 9(3), 2020). Integer arithmetic only, so that both give the same bits.
 */
import { log } from '../elementary.ts';

/** Mixes four 32-bit words in place. */
export function pcg4d(state: Uint32Array): void {
  for (let i = 0; i < 4; i++) state[i] = Math.imul(state[i], 1664525) + 1013904223;
  mix(state);
  for (let i = 0; i < 4; i++) state[i] ^= state[i] >>> 16;
  mix(state);
}

function mix(v: Uint32Array): void {
  v[0] += Math.imul(v[1], v[3]);
  v[1] += Math.imul(v[2], v[0]);
  v[2] += Math.imul(v[0], v[1]);
  v[3] += Math.imul(v[1], v[2]);
}

/** Maps bits to (0, 1), on a grid of 2^-23. */
export const unit = (bits: number) => ((bits >>> 9) + 0.5) / 2 ** 23;

/** Random bits of a token's Gumbel variable. */
export function gumbelBits([seed, stream, row, position]: readonly number[], token: number): number {
  const state = Uint32Array.of(seed ^ token, stream + token, row, position ^ Math.imul(token, 2654435769));
  pcg4d(state);
  return state[0];
}

/** Gumbel variable of a token. The token with the largest logit + gumbel is a sample of the softmax. */
export const gumbel = (key: readonly number[], token: number) => -log(-log(unit(gumbelBits(key, token))));
