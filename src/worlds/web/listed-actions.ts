/** Extracts the valid actions from a terse observation, in which every clickable element begins a line with its id. */
import type { WorldOptions } from '../../envs/env.ts';

/** Offered where no wanted verb applies: an empty list would mean that the agent may write anything. */
export const atLeast: readonly string[] = ['stop []'];

/**
 * Returns null if the observations do not contain all valid actions under these options. `observations`: all
 * observations so far.
 */
export function listedInWeb(observations: readonly string[], { observation, verbs }: WorldOptions): string[] | null {
  if (observation !== 'terse' || String(verbs) !== 'click') return null;
  // The first line is the objective.
  const [, ...lines] = (observations.at(-1) ?? '').split('\n');
  const ids = lines.flatMap((line) => /^\d+(?= |$)/.exec(line)?.[0] ?? []);
  return ids.length ? [...new Set(ids)].map((id) => `click [${id}]`) : [...atLeast];
}
