/**
 * Probabilities of the tokens that a policy could have chosen at one position of a stored trajectory. Each alternative
 * is scored as a trajectory of its own that ends with it, at the sampling temperature and under the mask.
 */
import type { Learner } from '../policy/policy.ts';
import { concat } from './episode/conversation.ts';
import type { Trajectory } from './episode/trajectory.ts';
import { contextBefore } from './episode/window.ts';
import { scoreRows } from './score-rows.ts';

/** Maximum number of alternatives that are scored; the sampled token is always among them. */
const MOST_ALTERNATIVES = 16;

/** Allowed tokens at a position, or null if it has no choice among listed ones. */
function allowedAt({ choices }: Trajectory, position: number): Int32Array | null {
  const row = choices?.position.indexOf(position) ?? -1;
  return choices && row >= 0 ? choices.tokens.subarray(choices.offsets[row], choices.offsets[row + 1]) : null;
}

/** The allowed tokens to score: the first ones in the world's order, and the sampled one. */
export function alternativesAt(trajectory: Trajectory, position: number): number[] {
  const allowed = allowedAt(trajectory, position);
  if (!allowed) return [];
  const taken = trajectory.tokens[position];
  const listed = [...allowed.subarray(0, MOST_ALTERNATIVES)];
  return listed.includes(taken) ? listed : [...listed.slice(0, MOST_ALTERNATIVES - 1), taken];
}

/**
 * The policy's context before a position, with `token` after it as the only scored one. The context is the prompt, which
 * the alternatives of a batch share.
 */
function endingWith(trajectory: Trajectory, position: number, allowed: Int32Array, token: number): Trajectory {
  const before = contextBefore(trajectory, position);
  const choices = {
    position: Int32Array.of(before.length),
    offsets: Int32Array.of(0, allowed.length),
    tokens: allowed,
  };
  const { windows: _, ...rest } = trajectory;
  return { ...rest, promptLength: before.length, tokens: concat([before, Int32Array.of(token)]), choices };
}

/** Log-probabilities of the alternatives, in the order of `alternativesAt`. */
export async function scoreAlternatives(
  policy: Pick<Learner, 'score' | 'capacity'>,
  trajectory: Trajectory,
  position: number,
  temperature: number,
): Promise<Float64Array> {
  const allowed = allowedAt(trajectory, position);
  const tokens = alternativesAt(trajectory, position);
  if (!allowed || !tokens.length) return new Float64Array(0);
  const variants = tokens.map((token) => endingWith(trajectory, position, allowed, token));
  const offsets = Int32Array.from({ length: tokens.length + 1 }, (_, k) => k);
  return (await scoreRows(policy, variants, { offsets }, { temperature, weights: 'policy' })).logprob;
}
