/** The algorithm by which a run distils its kept successes. */
import * as v from 'valibot';
import { agentevol } from './algorithms/agentevol.ts';
import { dpo } from './algorithms/dpo.ts';
import { AlgorithmSchema, type AnyAlgorithmSettings } from './algorithms/registry.ts';
import type { GoalsSettings } from './goals/registry.ts';

/** Settings of the algorithm that distils. Null: the run does not distil. */
export function distilAlgorithm(goals: GoalsSettings | undefined): AnyAlgorithmSettings | null {
  if (!goals || goals.distilEvery === 0 || goals.keep === 0) return null;
  const shared = { groups: goals.distilEpisodes, groupSize: 2 };
  // No reward is below the threshold: each kept episode is a success.
  const imitation = { name: agentevol.name, ...shared, originals: 0, threshold: -10 };
  const forms = {
    likelihood: { ...imitation, evolve: 'filter' },
    weighted: { ...imitation, evolve: 'weight' },
    preference: { name: dpo.name, ...shared, pairsPerGroup: 1 },
  };
  return v.parse(AlgorithmSchema, forms[goals.distilAs]);
}
