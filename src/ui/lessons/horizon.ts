/** Lesson 8: short, long and growing horizons, side by side in one sweep. */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/horizon.json';
import { turnCount } from '../kit/counts.ts';
import { fixed, signed } from '../kit/format.ts';
import {
  answered,
  type Claim,
  type Curve,
  indexOfLargest,
  type Lesson,
  type LessonContext,
  meanOf,
  openTrajectory,
} from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';
import { isSweepTrained, openVariant, runOfVariant, sweepProgress } from './sweep.ts';

/** Last steps of a run, under its final horizon. */
const late = 6;

const variants = [
  { name: 'Short', text: () => msg('Short: always one turn') },
  { name: 'Long', text: () => msg('Long: always three turns') },
  { name: 'Growing', text: () => msg('Growing: one turn, then two, then three') },
] as const;

type Name = (typeof variants)[number]['name'];

const isTrained = (seen: LessonContext) => isSweepTrained(seen, experiment);

/** Mean success and chance of each variant over its last steps; null before the sweep has finished. */
function endOf(seen: LessonContext) {
  if (!isTrained(seen)) return null;
  return variants.map(({ name }) => {
    const records = runOfVariant(seen.state, name)?.records ?? [];
    const [success, chance] = [metricNames.success, metricNames.chance].map((each) => meanOf(records, each, late) ?? 0);
    return { success, lead: success - chance };
  });
}

type End = NonNullable<ReturnType<typeof endOf>>[number];

/** Variant with the highest of these values, as a choice's index; null before the sweep has finished. */
function highest(seen: LessonContext, value: (end: End) => number): number | null {
  const values = endOf(seen)?.map(value);
  return values ? indexOfLargest(values) : null;
}

const of = (variant: Name, metric: string, from = -late, to = -1): Curve => ({
  run: experiment,
  variant,
  of: metric,
  steps: [from, to],
});
const lead = (variant: Name): Curve => ({ ...of(variant, metricNames.success), minus: metricNames.chance });

const claims: readonly Claim[] = [
  {
    text: 'Long has a higher success than Short.',
    high: of('Long', metricNames.success),
    low: of('Short', metricNames.success),
    by: 0.2,
  },
  {
    text: 'The chance of Long is higher as well.',
    high: of('Long', metricNames.chance),
    low: of('Short', metricNames.chance),
    by: 0.15,
  },
  { text: 'Above its own chance, Long leads Short.', high: lead('Long'), low: lead('Short'), by: 0.05 },
  {
    text: 'At first, Long is above Growing.',
    high: of('Long', metricNames.success, 1, 6),
    low: of('Growing', metricNames.success, 1, 6),
    by: 0.1,
  },
  {
    text: 'With three turns, Growing is about as high as Long.',
    high: of('Growing', metricNames.success),
    low: of('Long', metricNames.success),
    by: -0.1,
  },
  {
    text: 'Long does not collapse.',
    high: of('Long', metricNames.success),
    low: of('Long', metricNames.success, 1, 6),
    by: 0.1,
  },
];

export const horizon: Lesson = {
  id: 'horizon',
  title: () => msg('Short, long and growing horizons'),
  aim: () => msg('The horizon decides what can be learnt, how fast, and what a success rate means.'),
  minutes: 7,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  claims,
  parts: [
    {
      id: 'predict',
      title: () => msg('Predict the result'),
      text: () => [
        msg(
          'The setup contains a sweep of three runs with the same small policy in the same rooms. They differ only in the horizon: the number of turns that an episode may have.',
        ),
        msg(
          'With one turn, one action has to solve the task: episodes are short and cheap, and the result is clear. With three turns the same tasks leave room for detours and for luck.',
        ),
      ],
      ask: {
        text: () => msg('Which run will have the highest success at the end?'),
        choices: variants,
        outcome: (seen) => highest(seen, ({ success }) => success),
        result: (seen) => {
          const [short, long, growing] = endOf(seen)?.map(({ success }) => fixed(success)) ?? [];
          return short
            ? msg(str`Mean success of the last six steps: Short ${short}, Long ${long}, Growing ${growing}`)
            : '';
        },
      },
      done: answered('horizon', 'predict'),
    },
    {
      id: 'sweep',
      title: () => msg('Train the three side by side'),
      text: () => [msg('Choose Train: the runs train alternately, and you see all their curves.')],
      where: { panel: 'progress' },
      done: isTrained,
      far: sweepProgress,
    },
    {
      id: 'compare',
      title: () => msg('Compare them at one step'),
      text: () => [
        msg(
          'Under Progress, with All runs chosen, choose a step from 13 on in the chart Success: a click, or the arrow keys. The legend shows the three values at this step alone, which vary more than the means of six steps in this lesson; the diamonds at the end are held-out rooms. Then choose Chance in the menu above the chart, and read the three again. Table, beside it, lists every step.',
        ),
        msg(
          'Each run is measured under its own horizon. A success rate within three turns and one within a single turn answer different questions.',
        ),
      ],
      where: { panel: 'progress' },
      ask: {
        text: () => msg('Which run is furthest above its own chance over the last six steps?'),
        choices: variants,
        ready: ({ state }) => state.sweep !== null && state.wholeSweep && (state.selection.step ?? 0) > 12,
        outcome: (seen) => highest(seen, ({ lead }) => lead),
        result: (seen) => {
          const [short, long, growing] = endOf(seen)?.map(({ lead }) => signed(lead)) ?? [];
          return short
            ? msg(str`Success less chance over the last six steps: Short ${short}, Long ${long}, Growing ${growing}`)
            : '';
        },
      },
      done: answered('horizon', 'compare'),
    },
    {
      id: 'long',
      title: () => msg('Read an episode under the long horizon'),
      text: () => [
        msg(
          'Long is highest here, and most of that is its higher chance. It also leads above chance: with more turns more episodes succeed, so more groups have a signal. Growing has the curve of Short at first, and catches up once it has three turns.',
        ),
        msg(
          'A long horizon has a price: episodes cost more, and all their tokens share one advantage, although most had no part in the result. AgentGym-RL reports long runs of a language model that lead at first and then collapse, and ScalingInter-RL lets the horizon grow to avoid it. These eighteen steps show no collapse.',
        ),
        msg(
          'Open the run “Long”, then an episode of more than two turns. See what it does with turns that it does not need.',
        ),
      ],
      where: { panel: 'stage', tab: 'group' },
      help: {
        label: () => msg('Open the run “Long”'),
        act: openVariant('Long'),
      },
      far: (seen) => {
        const turns = openTrajectory(seen)?.turns.length ?? 0;
        return turns > 0 && turns <= 2 ? msg(str`This episode has ${turnCount(turns)}: choose a longer one.`) : '';
      },
      done: (seen) => seen.state.run?.sweep !== undefined && (openTrajectory(seen)?.turns.length ?? 0) > 2,
    },
  ],
  questions: [
    {
      id: 'better',
      text: () =>
        msg('After training, A succeeds in 60% within three turns, B in 50% within one. Which policy is better?'),
      choices: [
        {
          text: () => msg('A: 60 is more than 50.'),
          feedback: () => msg('With three turns luck alone achieves more. The two rates answer different questions.'),
        },
        {
          text: () => msg('You can tell only after measuring both under the same horizon.'),
          right: true,
          feedback: () => msg('Yes. The tab Evaluate measures success against turns for exactly this.'),
        },
        {
          text: () => msg('B, because it needs fewer turns.'),
          feedback: () => msg('Perhaps; but the numbers do not show it yet.'),
        },
      ],
    },
    {
      id: 'grow',
      text: () => msg('Why may it help to let the horizon grow?'),
      choices: [
        {
          text: () =>
            msg('Short episodes teach the basics quickly; longer ones then allow tasks that need more turns.'),
          right: true,
          feedback: () =>
            msg(
              'Yes, that is the idea of ScalingInter-RL. Only curves of several seeds can show whether it works: three short runs prove nothing.',
            ),
        },
        {
          text: () => msg('Because long episodes cannot be trained on at all.'),
          feedback: () => msg('They can. They cost more, and credit is spread over more tokens.'),
        },
        {
          text: () => msg('Because the policy gets larger as well.'),
          feedback: () => msg('The number of weights stays the same. Only the number of turns grows.'),
        },
      ],
    },
  ],
};
