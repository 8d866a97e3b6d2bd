/**
 * The only change of a policy's shape after which a run can continue: added layers, which initially leave the policy's
 * output unchanged (`policy/weights/grow.ts`).
 */
import type { Difference } from './paths.ts';

export const layersPath = 'policy.layers';

export const addsLayers = ({ path, from, to }: Difference) => path === layersPath && Number(to) > Number(from);
