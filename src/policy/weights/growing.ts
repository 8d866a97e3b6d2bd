/**
 * A trained policy made deeper: layers on top of its own that begin as the identity. Chen, Goodfellow & Shlens 2016, "Net2Net: Accelerating
 * Learning via Knowledge Transfer" (https://arxiv.org/abs/1511.05641), section 3.2, Net2DeeperNet. A layer adds to the residual stream what its two
 * output projections write; these begin at zero, so the deeper policy says what the shallower one said, to the last bit, and
 * the first update moves them.
 */
import { type ModelConfig, parameterShapes } from '../config.ts';
import { firstMoment, secondMoment } from '../moments.ts';
import type { TensorMap } from '../policy.ts';
import { initTiny, type StartSettings } from './init.ts';

/** What a layer writes to the residual stream. */
const writes = /\.(self_attn\.o_proj|mlp\.down_proj)\.weight$/;

/**
 * The tensors of a checkpoint with the layers that `deeper` has and they lack; the optimiser's moments are left out, as the new weights have none.
 * `start`: how a policy of this depth would begin, whose values the new layers' other matrices get.
 */
export function grownTensors(deeper: ModelConfig, tensors: TensorMap, start: StartSettings, seed: number): TensorMap {
  const begun = initTiny(deeper, start, seed);
  const grown: TensorMap = new Map(
    [...tensors].filter(([name]) => !name.startsWith(firstMoment) && !name.startsWith(secondMoment)),
  );
  for (const [name] of parameterShapes(deeper)) {
    if (grown.has(name)) continue;
    const { shape, data } = begun.get(name)!;
    grown.set(name, { shape, data: writes.test(name) ? new Float32Array(data.length) : data });
  }
  return grown;
}
