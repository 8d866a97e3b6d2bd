/** Lesson 13: a hundred demonstrations, then reward. Reward leads past what a fixed set can teach. */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/past-demonstrations.json';
import { stepCount } from '../kit/counts.ts';
import { fixed } from '../kit/format.ts';
import type { Lesson, LessonContext } from '../state/lesson.ts';

/** Steps of imitation, and of the whole run. */
const [imitated, all] = [experiment.stages[0].steps, experiment.steps];

const heldOut = ({ trained }: LessonContext, step: number) =>
  trained.find((record) => record.step === step)?.evaluation?.test.policy;

const rateWords = (rate: { rate: number; low: number; high: number }) =>
  `${fixed(rate.rate)} [${fixed(rate.low)}, ${fixed(rate.high)}]`;

export const pastDemonstrations: Lesson = {
  id: 'past-demonstrations',
  title: () => msg('Past the demonstrations'),
  aim: () => msg('When a hundred demonstrations teach no more, rewards lead further.'),
  minutes: 6,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  claims: [
    {
      text: 'A hundred demonstrations lead far above chance.',
      high: { run: experiment, of: 'test.policy.rate', minus: 'test.chance.rate', steps: [imitated, imitated] },
      low: 0.2,
    },
    {
      text: 'Reward leads past them, by more than the interval of either.',
      high: { run: experiment, of: 'test.policy.rate', steps: [all, all] },
      low: { run: experiment, of: 'test.policy.rate', steps: [imitated, imitated] },
      by: 0.04,
    },
  ],
  parts: [
    {
      id: 'imitate',
      title: () => msg('Use up a hundred demonstrations'),
      text: () => [
        msg(
          'The policy imitates the same hundred demonstrations at every step. 64 other training rooms are kept apart: when the oracle’s play there no longer becomes likelier, imitation stops. Choose Train.',
        ),
        msg(
          'Imitation stops by itself before step 45, and the steps up to there change nothing. At step 45 the policy is evaluated on rooms that it has never seen.',
        ),
      ],
      where: { panel: 'progress' },
      done: (seen) => heldOut(seen, imitated) !== undefined,
      far: ({ trained }) => (trained.length ? stepCount(trained.length) : ''),
    },
    {
      id: 'reward',
      title: () => msg('Continue with rewards'),
      text: () => [
        msg(
          'From step 46 on the policy plays by itself in all training rooms, also in those that nobody showed it, and learns from rewards alone. Let it train to the end.',
        ),
        msg(
          'Compare the two evaluations on held-out rooms, and their intervals: the gain is that of 45 steps of reward.',
        ),
      ],
      where: { panel: 'progress' },
      done: (seen) => heldOut(seen, all) !== undefined,
      far: (seen) => {
        const [before, after] = [heldOut(seen, imitated), heldOut(seen, all)];
        if (!before) return '';
        return after
          ? msg(str`Held-out rooms after imitation ${rateWords(before)}, after reward ${rateWords(after)}`)
          : msg(str`Held-out rooms after imitation ${rateWords(before)}`);
      },
    },
    {
      id: 'signal',
      title: () => msg('Look at the signal'),
      text: () => [
        msg(
          'The last chart shows how much signal a group’s gradient has: at 0.01 a step of 100 groups has as much signal as noise. A single measurement is noisy and can be negative.',
        ),
        msg('Choose a step of the second stage on the chart.'),
      ],
      where: { panel: 'progress' },
      done: ({ state }) => state.selection.step !== null && state.selection.step > imitated,
    },
  ],
  questions: [
    {
      id: 'why',
      text: () => msg('Why does reward lead past the demonstrations here?'),
      choices: [
        {
          text: () => msg('It learns from as many rooms as the world has, and from its own mistakes.'),
          right: true,
          feedback: () => msg('Yes. The demonstrations end at a hundred; tasks with a reward do not.'),
        },
        {
          text: () => msg('Rewards contain more information than demonstrations.'),
          feedback: () => msg('An episode’s reward is one number; a demonstration has the right action at every turn.'),
        },
        {
          text: () => msg('The policy becomes larger in the second stage.'),
          feedback: () => msg('It keeps its size. Only the objective changes.'),
        },
      ],
    },
    {
      id: 'more',
      text: () => msg('With new demonstrations at every step, what would you expect?'),
      choices: [
        {
          text: () => msg('Imitation goes on improving, and can end above reward for the same work.'),
          right: true,
          feedback: () => msg('Yes: in a measured run with as many operations it ended above reward.'),
        },
        {
          text: () => msg('The same stop: demonstrations never help beyond a hundred.'),
          feedback: () => msg('The stop comes from the fixed set, not from imitation.'),
        },
        {
          text: () => msg('Collapse, because the policy copies too much.'),
          feedback: () => msg('More different demonstrations make copying by heart less likely.'),
        },
      ],
    },
  ],
};
