/**
 * Lesson 5: learning from nothing. A whole run, from random weights to a policy that beats chance on held-out goals.
 */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/first-run.json';
import { stepCount } from '../kit/counts.ts';
import { fixed, signed } from '../kit/format.ts';
import { type Curve, evaluated, hasWatchedEpisode, type Lesson, overChance } from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';

const wanted = 0.12;

const ofRun = (metric: string, from: number): Curve => ({ run: experiment, of: metric, steps: [from, -1] });

export const firstRun: Lesson = {
  id: 'first-run',
  title: () => msg('Learning from nothing'),
  aim: () => msg('Reward alone turns random weights into a policy that does better than chance.'),
  minutes: 6,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  claims: [
    {
      text: 'The mean of the last eight steps is far enough above chance.',
      high: { ...ofRun(metricNames.success, -8), minus: metricNames.chance },
      low: wanted,
    },
    {
      text: 'The last evaluation on held-out goals is above chance.',
      high: { ...ofRun('test.policy.rate', -1), minus: 'test.chance.rate' },
      low: 0.05,
    },
  ],
  parts: [
    {
      id: 'train',
      title: () => msg('Train'),
      text: () => [
        msg(
          'Choose Train. There are no demonstrations and no rules, only 0.18 million random weights, a list of actions, and a reward at the end of an episode.',
        ),
        msg('Watch the live episode meanwhile: at first it fetches at random.'),
      ],
      where: { panel: 'stage', tab: 'watch' },
      done: ({ trained }) => trained.length >= 3,
      far: ({ trained }) => (trained.length ? stepCount(trained.length) : ''),
    },
    {
      id: 'above',
      title: () => msg('See it beat chance'),
      text: () => [
        msg(
          str`Watch the chart Success until the mean of eight steps is ${fixed(wanted)} above the dashed line. Single steps vary a lot, because each has only a few tasks, some easy and some hard. Read the smoothed line.`,
        ),
        msg(
          'The first successes came by chance. Training made their actions a little more likely, so more successes followed. That is the whole idea.',
        ),
      ],
      where: { panel: 'progress' },
      done: ({ trained }) => (overChance(trained) ?? 0) >= wanted,
      far: ({ trained }) => {
        const gain = overChance(trained);
        return gain === null ? '' : msg(str`Over the last eight steps: ${signed(gain)} over chance`);
      },
    },
    {
      id: 'held-out',
      title: () => msg('Wait for the evaluation'),
      text: () => [
        msg(
          'Every twenty steps the page plays goals that were never trained on: the diamonds on the chart. Let it train until one of them is above chance.',
        ),
        msg('The policy has learnt to read the recipes. It has not just remembered which goal needs which ingredient.'),
      ],
      where: { panel: 'progress' },
      done: ({ trained }) => {
        const test = evaluated(trained)?.test;
        return test !== undefined && test.policy.rate > test.chance.rate;
      },
      far: ({ trained }) => {
        const test = evaluated(trained)?.test;
        return test
          ? msg(
              str`Held-out goals: ${fixed(test.policy.rate)} [${fixed(test.policy.low)}, ${fixed(test.policy.high)}], chance ${fixed(test.chance.rate)}`,
            )
          : '';
      },
    },
    {
      id: 'watch',
      title: () => msg('Watch what it can do'),
      text: () => [
        msg(
          'Pause, and choose Watch one episode on the stage: the policy, as it is now, plays a goal that it was never trained on.',
        ),
      ],
      where: { panel: 'stage', tab: 'watch' },
      done: (seen) => seen.trained.length > 0 && hasWatchedEpisode(seen),
    },
  ],
  questions: [
    {
      id: 'first',
      text: () => msg('Nobody shows the policy how a goal is crafted. Where does its first success come from?'),
      choices: [
        {
          text: () => msg('From chance: some random episodes reach the goal.'),
          right: true,
          feedback: () =>
            msg(
              'Yes. That is why the horizon is short but not too short, and why a task that chance never solves cannot be learnt this way.',
            ),
        },
        {
          text: () => msg('From the oracle, whose episodes it reads.'),
          feedback: () => msg('The charts show the oracle only for comparison. The policy never sees its episodes.'),
        },
        {
          text: () => msg('From what language models know about crafting.'),
          feedback: () => msg('These weights were random a minute ago.'),
        },
      ],
    },
    {
      id: 'held-out',
      text: () => msg('Why are some goals held out of the training?'),
      choices: [
        {
          text: () => msg('To save time.'),
          feedback: () => msg('Playing them costs time.'),
        },
        {
          text: () => msg('Because they are too hard to learn from.'),
          feedback: () => msg('They need as many crafting steps as the others.'),
        },
        {
          text: () => msg('To see whether it learnt to craft or memorised the goals.'),
          right: true,
          feedback: () => msg('Yes. In the next lesson you make a policy learn by heart on purpose.'),
        },
      ],
    },
  ],
};
