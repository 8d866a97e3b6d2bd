/**
 * The only change of a policy's shape that a run can continue with: more layers, which start as the identity
 * (`policy/weights/grow.ts`).
 */
import type { Difference } from './paths.ts';

export const LAYERS = 'policy.layers';

export const deepens = ({ path, from, to }: Difference) => path === LAYERS && Number(to) > Number(from);
