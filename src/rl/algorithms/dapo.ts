/**
 * DAPO: Decoupled Clip and Dynamic Sampling Policy Optimization (Yu et al. 2025, https://arxiv.org/abs/2503.14476).
 *
 * GRPO with four changes: a separate high clip (section 3.1), groups whose returns are all equal are replaced by others
 * (3.2, equation 11), all tokens of a step count the same (3.3), and a penalty near the longest episode (3.4, equation
 * 13).
 */
import * as v from 'valibot';
import { choice, option, real, toggle, whole } from '../../fields/fields.ts';
import { groupBy } from '../common/numbers.ts';
import { spread } from '../common/token-rows.ts';
import { groupAdvantages, hasSignal } from '../credit/groups.ts';
import { returnsOf, rewardOf } from '../episode/returns.ts';
import type { Trajectory } from '../episode/trajectory.ts';
import type { Algorithm, CollectedPlay, Collector } from './algorithm.ts';
import { clippedCard, groupAdvantageCard, policyCards } from './cards.ts';
import { corrected, counterpartName, policyGradient } from './group-relative.ts';
import { epsilonField, policyFields } from './pieces.ts';

const schema = v.strictObject({
  name: v.literal('dapo'),
  ...policyFields({ clip: [0.2, 0.28, 10], aggregation: 'token-mean' }),
  ...epsilonField(1e-6),
  mostWaves: option(whole(1, 64), 4, {
    label: 'Maximum waves',
    sentence:
      'Largest number of rounds in which a step plays further tasks in place of groups without signal; at 1 it never does.',
    unit: 'waves',
    level: 'basic',
  }),
  filterBy: option(choice(['score', 'return']), 'score', {
    label: 'Signal of what',
    sentence: 'Value that must differ within a group for it to have signal: the reward, or the penalised return.',
  }),
  longest: option(v.nullable(whole(1, 8192)), null, {
    label: 'Longest episode',
    sentence: 'Tokens after the task text from which an episode has the whole length penalty.',
    unit: 'tokens',
    nullMeans: 'no length penalty',
  }),
  penaltyRoom: option(whole(1, 8192), 32, {
    label: 'Penalty room',
    sentence: 'Tokens before the longest episode over which the length penalty grows.',
    unit: 'tokens',
  }),
  penalty: option(real(0, 10), 1, {
    label: 'Length penalty',
    sentence: 'Subtracted from the return of an episode of the greatest length.',
    step: 0.1,
  }),
  penaltyFloor: option(toggle(), true, {
    label: 'Penalty has a floor',
    sentence: "Episodes beyond the greatest length get no further penalty; in DAPO's code the penalty keeps growing.",
  }),
});
type Settings = v.InferOutput<typeof schema>;
type Overlong = Pick<Settings, 'longest' | 'penaltyRoom' | 'penalty' | 'penaltyFloor'>;

/** Equation 13: 0 while there is room, then falling to minus the penalty. */
export function overlongPenalty(length: number, { longest, penaltyRoom, penalty, penaltyFloor }: Overlong): number {
  if (longest === null) return 0;
  const over = -((length - (longest - penaltyRoom)) / penaltyRoom) * penalty;
  return Math.min(penaltyFloor ? Math.max(over, -penalty) : over, 0);
}

/**
 * Row indices of the first `groups` groups that have a signal, taken wave by wave until there are enough. `values`: one
 * per row. A group of one is kept.
 */
export function keptRows(
  values: ArrayLike<number>,
  groupOf: ArrayLike<number>,
  waveOf: ArrayLike<number>,
  groups: number,
): { rows: number[]; waves: number } {
  const waves = groupBy(
    Array.from({ length: values.length }, (_, i) => i),
    (i) => waveOf[i],
  );
  const kept: number[][] = [];
  let used = 0;
  for (const members of waves.values()) {
    used += 1;
    for (const group of groupBy(members, (i) => groupOf[i]).values()) {
      const own = group.map((i) => values[i]);
      if (own.length === 1 || hasSignal(own)) kept.push(group);
    }
    if (kept.length >= groups) break;
  }
  return { rows: kept.slice(0, groups).flat(), waves: used };
}

const lengthOf = ({ tokens, promptLength }: Trajectory) => tokens.length - promptLength;

const shapedReturns = (trajectories: readonly Trajectory[], settings: Settings): Float64Array =>
  returnsOf(trajectories, settings.endings).map(
    (value, b) => value + overlongPenalty(lengthOf(trajectories[b]), settings),
  );

/** A dropped episode does not count for its group's signal. */
function groupHasSignal(group: readonly Trajectory[], settings: Settings): boolean {
  const returns = shapedReturns(group, settings);
  const kept = group.filter((_, b) => !Number.isNaN(returns[b]));
  const values = kept.map(rewardOf);
  return hasSignal(settings.filterBy === 'score' ? values : [...returns].filter((value) => !Number.isNaN(value)));
}

async function collect(collecting: Collector, settings: Settings): Promise<CollectedPlay> {
  const { groups, groupSize, mostWaves } = settings;
  const tasks: CollectedPlay['tasks'] = [];
  const played: Trajectory[] = [];
  const kept: Trajectory[][] = [];
  let waves = 0;
  while (waves < mostWaves && kept.length < groups) {
    const wave = collecting.tasks(groups, waves);
    const episodes = await collecting.play(wave, groupSize, waves);
    tasks.push(...wave);
    played.push(...episodes);
    kept.push(
      ...[...groupBy(episodes, ({ group }) => group).values()].filter((group) => groupHasSignal(group, settings)),
    );
    waves += 1;
  }
  const trajectories = kept.slice(0, groups).flatMap((members, group) => members.map((each) => ({ ...each, group })));
  const without = 1 - kept.length / (waves * groups);
  // Without a signal, advantages are 0, so only an entropy bonus or a KL term could give a gradient.
  const trainsAnyway = settings.entropy !== 0 || settings.kl.coefficient !== 0;
  return {
    trajectories: trajectories.length || !trainsAnyway ? trajectories : played,
    played,
    tasks,
    metrics: { waves, droppedGroups: without },
  };
}

export const dapo = {
  name: 'dapo',
  label: 'DAPO',
  sentence: 'GRPO with a high clip of its own, and other tasks in place of groups that teach nothing.',
  source: ['https://arxiv.org/abs/2503.14476'],
  baseline: 'mean-std',
  schema,
  cards: (settings) => policyCards(groupAdvantageCard('mean-std'), clippedCard(settings)),
  ...policyGradient,
  collect,
  onBatch: {
    note: 'signal',
    take: (trajectories, settings) =>
      [...groupBy(trajectories, ({ group }) => group).values()]
        .filter((group) => groupHasSignal(group, settings))
        .flat(),
  },
  credit: (input, settings) => {
    const { rows, trajectories } = input;
    const returns = Float64Array.from(
      input.returns,
      (value, b) => value + (trajectories[b] ? overlongPenalty(lengthOf(trajectories[b]), settings) : 0),
    );
    const options = { baseline: 'mean-std', epsilon: settings.advantageEpsilon } as const;
    const { advantages, ...counts } = groupAdvantages(returns, rows.group, options);
    return corrected(
      { advantages: spread(advantages, rows), episode: advantages, ...counts },
      input,
      settings.correction,
    );
  },
  counterparts: {
    verl: { name: counterpartName, set: { 'algorithm.norm_adv_by_std_in_grpo': true } },
    'agentgym-rl': {
      name: counterpartName,
      differs: ['Groups without signal are trained on, not replaced, and there is no penalty for length.'],
    },
    trl: {
      name: counterpartName,
      set: { scale_rewards: 'group' },
      differs: ['Groups without signal are trained on, not replaced by others.'],
    },
  },
} satisfies Algorithm<Settings>;
