/**
 * AgentEvol (Xi et al. 2024, AgentGym, https://arxiv.org/abs/2406.04151): explore, keep or weight episodes by their
 * reward, train on them and on the original demonstrations, repeat.
 *
 * The paper maximises E[R log pi], the likelihood weighted by reward; its code (WooooDyy/AgentGym@3ef9235
 * agentevol_filter.py) keeps the first success of each task with weight 1. Both are here. An iteration is one step and
 * continues from the weights of the step before, not from the first ones. The original data is the oracle's play, kept
 * in every step.
 */
import * as v from 'valibot';
import { choice, option, whole } from '../../fields/fields.ts';
import { groupBy } from '../common/numbers.ts';
import type { Algorithm } from './algorithm.ts';
import { likelihoodCards } from './cards.ts';
import {
  aggregationOf,
  byGroup,
  demonstrations,
  likelihood,
  likelihoodAggregation,
  weightedCredit,
} from './from-data.ts';
import { endingFields, groupFields } from './pieces.ts';
import { keep, selected, threshold } from './rejection.ts';

const schema = v.strictObject({
  name: v.literal('agentevol'),
  ...groupFields,
  evolve: option(choice(['filter', 'weight']), 'filter', {
    label: 'Learn by',
    sentence: 'Weight of an episode: one for every good episode, or its return.',
  }),
  threshold,
  keep,
  originals: option(whole(0, 4096), 8, {
    label: 'Demonstrations',
    sentence: "Number of the oracle's episodes that every step learns from, in addition to the policy's own.",
    unit: 'episodes',
    level: 'basic',
  }),
  ...likelihoodAggregation,
  ...endingFields,
});

/** Record in a list of recorded explorations or in a training list. */
export interface EvolRecord {
  item_id: string;
  reward?: number;
}

/**
 * Filter of the original code. `selected`: the first record of each item with a reward above its task's threshold.
 * `next`: these, followed by the whole earlier list.
 */
export function evolve<T extends EvolRecord>(
  found: readonly T[],
  before: readonly T[],
  thresholdOf: (itemId: string) => number,
): { selected: T[]; next: T[] } {
  const good = found.filter(({ item_id, reward = Number.NaN }) => reward > thresholdOf(item_id));
  const first = [...groupBy(good, ({ item_id }) => item_id).values()].map(([record]) => record);
  return { selected: first, next: [...first, ...before] };
}

export const agentevol = {
  name: 'agentevol',
  label: 'AgentEvol',
  sentence: 'Explores, learns from the good episodes and from the original demonstrations, and explores again.',
  source: ['https://arxiv.org/abs/2406.04151'],
  schema,
  cards: () => likelihoodCards('weighted', "An episode's weight is its return, so a failed episode is not trained on."),
  needs: () => ({}),
  collect: async (collecting, { groups, groupSize, originals }) => {
    const tasks = collecting.tasks(groups);
    const played = await collecting.play(tasks, groupSize);
    if (originals === 0) return { trajectories: played, played, tasks };
    const shown = await demonstrations(collecting, originals, { wave: 1 });
    // Demonstrations form groups of their own, numbered after those of the exploration.
    const own = shown.trajectories.map((trajectory, i) => ({ ...trajectory, group: groups + i }));
    return { trajectories: [...played, ...own], played, tasks, metrics: shown.metrics };
  },
  onBatch: { note: 'no-demonstrations' },
  credit: (input, settings) => {
    const explored = new Set(input.trajectories.filter((each) => each.group < settings.groups));
    const good =
      settings.evolve === 'filter'
        ? selected(input, settings).map(({ trajectory }) => [trajectory, 1] as const)
        : byGroup(input).flatMap((members) => members.map(({ trajectory, value }) => [trajectory, value] as const));
    const weights = new Map(good.filter(([trajectory]) => explored.has(trajectory)));
    for (const each of input.trajectories) if (!explored.has(each)) weights.set(each, 1);
    return weightedCredit(input, weights);
  },
  objective: likelihood,
  aggregation: aggregationOf,
} satisfies Algorithm<v.InferOutput<typeof schema>>;
