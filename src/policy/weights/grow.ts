/**
 * Makes a trained policy deeper with additional layers that start as the identity: Net2DeeperNet, in Chen, Goodfellow &
 * Shlens 2016, "Net2Net: Accelerating Learning via Knowledge Transfer" (https://arxiv.org/abs/1511.05641), section 3.2.
 * A layer adds the outputs of two projections to the residual stream. In the new layers these projections start at
 * zero, so the deeper policy initially computes the same outputs as the shallower one, bit for bit, and the first
 * update moves them.
 */
import { type ModelConfig, parameterShapes } from '../config.ts';
import { firstMoment, secondMoment } from '../moments.ts';
import type { TensorMap } from '../policy.ts';
import { initTiny, type StartSettings } from './init.ts';

/** Projections that write to the residual stream. */
const writes = /\.(self_attn\.o_proj|mlp\.down_proj)\.weight$/;

/**
 * Tensors of a checkpoint, with the additional layers of `deeper`. The optimiser's moments are left out, because the
 * new weights have none. `start` gives the initial values of the new layers' other matrices.
 */
export function grownTensors(deeper: ModelConfig, tensors: TensorMap, start: StartSettings, seed: number): TensorMap {
  const initial = initTiny(deeper, { ...start, spelledWords: false }, seed, []);
  const grown: TensorMap = new Map(
    [...tensors].filter(([name]) => !name.startsWith(firstMoment) && !name.startsWith(secondMoment)),
  );
  for (const [name] of parameterShapes(deeper)) {
    if (grown.has(name)) continue;
    const { shape, data } = initial.get(name)!;
    grown.set(name, { shape, data: writes.test(name) ? new Float32Array(data.length) : data });
  }
  return grown;
}
