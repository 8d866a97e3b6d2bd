/** Lesson 6: reading the curves. Three ways to fail, each caused on purpose: no signal, collapse, overfitting. */
import { msg, str } from '@lit/localize';
import heart from '../../../experiments/lessons/by-heart.json';
import collapse from '../../../experiments/lessons/collapse.json';
import noSignal from '../../../experiments/lessons/no-signal.json';
import { fixed } from '../kit/format.ts';
import { diagnose } from '../state/diagnosis.ts';
import { type Curve, evaluated, isRunOf, type Lesson, type LessonContext, meanOf } from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';

const recent = 5;
const gapWanted = 0.3;

/** True if success has fallen to (almost) 0 and entropy to three quarters of its start. */
function collapsed({ trained }: LessonContext): boolean {
  if (trained.length < 12) return false;
  const start = meanOf(trained.slice(0, 2), metricNames.entropy) ?? 0;
  const now = meanOf(trained, metricNames.entropy, recent) ?? start;
  return (meanOf(trained, metricNames.success, recent) ?? 1) <= 0.02 && now <= 0.75 * start;
}

/** Success on training goals minus success on held-out goals in the newest evaluation; null: no evaluation yet. */
function gap({ trained }: LessonContext): number | null {
  const evaluation = evaluated(trained);
  return evaluation ? evaluation.train.policy.rate - evaluation.test.policy.rate : null;
}

const whole = (run: unknown, metric: string): Curve => ({ run, of: metric, steps: [1, -1] });
const end = (run: unknown, metric: string): Curve => ({ run, of: metric, steps: [-recent, -1] });

export const curves: Lesson = {
  id: 'curves',
  title: () => msg('Reading the curves: three ways to fail'),
  aim: () =>
    msg('Recognise in the curves that nothing is learnt, that the policy has collapsed, or that it memorises.'),
  minutes: 8,
  experiment: noSignal,
  start: { panel: 'stage', tab: 'watch' },
  claims: [
    { text: 'Without signal no episode succeeds.', high: 0, low: whole(noSignal, metricNames.success) },
    { text: 'Every group is without signal.', high: whole(noSignal, metricNames.noSignal), low: 1 },
    { text: 'Success collapses.', high: 0.02, low: end(collapse, metricNames.success) },
    {
      text: 'It succeeded before.',
      high: { ...end(collapse, metricNames.success), steps: [1, 2] },
      low: 0.05,
    },
    {
      text: 'Entropy falls with it.',
      high: { ...end(collapse, metricNames.entropy), steps: [1, 2] },
      low: end(collapse, metricNames.entropy),
      by: 0.1,
    },
    {
      text: 'Training goals are far above held-out goals.',
      high: { ...end(heart, 'train.policy.rate'), minus: 'test.policy.rate' },
      low: gapWanted,
    },
  ],
  parts: [
    {
      id: 'no-signal',
      title: () => msg('No signal'),
      text: () => [
        msg(
          'The setup now has goals that need at least three turns, but allows only two. Choose Train and look at the chart Groups without signal.',
        ),
        msg(
          'Every episode fails, every return is 0, every advantage is 0. The run keeps computing but learns nothing. A hint above the charts explains this.',
        ),
      ],
      experiment: noSignal,
      where: { panel: 'progress' },
      done: (seen) =>
        isRunOf(seen, noSignal) && diagnose(seen.state.records, true).some(({ id }) => id === 'no-signal'),
    },
    {
      id: 'collapse',
      title: () => msg('Collapse'),
      text: () => [
        msg(
          'Now the goals can be learnt, but the learning rate is fifteen times too high. Choose Train and look at Success, and at Entropy and KL.',
        ),
        msg(
          'A few large steps make the policy repeat actions that do not work. It hardly tries anything else, so it never finds better ones. Success falls to 0 and stays there.',
        ),
      ],
      experiment: collapse,
      where: { panel: 'progress' },
      done: (seen) => isRunOf(seen, collapse) && collapsed(seen),
      far: (seen) => {
        const success = meanOf(seen.trained, metricNames.success, recent);
        const entropy = meanOf(seen.trained, metricNames.entropy, recent);
        return success === null || entropy === null
          ? ''
          : msg(str`Over the last steps: success ${fixed(success)}, entropy ${fixed(entropy)}`);
      },
    },
    {
      id: 'heart',
      title: () => msg('Learning by heart'),
      text: () => [
        msg(
          'Last, a world of rooms and objects, with only four training tasks. Choose Train and compare the discs (training goals) with the diamonds (held-out goals) on the chart Success.',
        ),
        msg(
          'Training success rises as it should. Only the held-out goals show that the policy has memorised four answers and learnt nothing else.',
        ),
      ],
      experiment: heart,
      where: { panel: 'progress' },
      done: (seen) => isRunOf(seen, heart) && (gap(seen) ?? 0) >= gapWanted,
      far: (seen) => {
        const difference = gap(seen);
        return difference === null ? '' : msg(str`Training goals minus held-out goals: ${fixed(difference)}`);
      },
    },
  ],
  questions: [
    {
      id: 'flat',
      text: () => msg('Success stays at 0 from the first step on, and all groups are without signal. What may help?'),
      choices: [
        {
          text: () => msg('A higher learning rate.'),
          feedback: () => msg('An advantage of 0 times any learning rate is still 0.'),
        },
        {
          text: () => msg('Easier tasks or more turns, so that some episodes succeed.'),
          right: true,
          feedback: () =>
            msg(
              'Yes. Without differences inside a group there is nothing to learn from, however long the training. Imitation (lesson 9) can help as well.',
            ),
        },
        {
          text: () => msg('Training ten times as long.'),
          feedback: () => msg('If chance never reaches a goal, more training changes nothing.'),
        },
      ],
    },
    {
      id: 'which',
      text: () => msg('Training success is 0.9 and rising, held-out success 0.2, as at the start. What is going on?'),
      choices: [
        {
          text: () => msg('It learns the training goals by heart.'),
          right: true,
          feedback: () =>
            msg('Yes. It helps to train on more goals, and on more varied ones. A longer run does not help.'),
        },
        {
          text: () => msg('The policy has collapsed.'),
          feedback: () => msg('Then training success would fall as well.'),
        },
        {
          text: () => msg('The held-out goals are simply harder.'),
          feedback: () => msg('Chance and oracle do about the same on both, as their figures in the table show.'),
        },
      ],
    },
  ],
};
