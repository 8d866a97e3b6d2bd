/**
 * Lesson 10: what you reward is what you get. A reward that pays for a step on the way teaches that step and not the
 * task; paid once, it does no harm.
 */
import { msg, str } from '@lit/localize';
import paid from '../../../experiments/lessons/reward.json';
import mended from '../../../experiments/lessons/reward-mended.json';
import { partMetric } from '../../rl/metrics/metrics.ts';
import { stepCount } from '../kit/counts.ts';
import { compact, percent } from '../kit/format.ts';
import { type Curve, isRunOf, type Lesson, type LessonContext, meanOf } from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';

const enough = 12;
/** Column of the paid step, the same in both experiments. */
const gets = partMetric('gets');

const progressNote = (seen: LessonContext) => {
  const { trained } = seen;
  if (!trained.length) return '';
  const [success, reward] = [meanOf(trained, metricNames.success, 3) ?? 0, meanOf(trained, 'reward', 3) ?? 0];
  return msg(str`${stepCount(trained.length)}: success ${percent(success)}, reward ${compact(reward)}`);
};

const late = (run: unknown, of: string): Curve => ({ run, of, steps: [-4, -1] });
const start = (run: unknown, of: string): Curve => ({ run, of, steps: [1, 1] });

export const reward: Lesson = {
  id: 'reward',
  title: () => msg('What you reward is what you get'),
  aim: () => msg('A policy learns what raises its reward, whatever you meant: compare the reward with success.'),
  minutes: 7,
  experiment: paid,
  start: { panel: 'stage', tab: 'watch' },
  claims: [
    { text: 'The reward rises.', high: late(paid, 'reward'), low: start(paid, 'reward') },
    { text: 'Its part that counts the gets rises.', high: late(paid, gets), low: start(paid, gets), by: 0.3 },
    { text: 'Success falls below chance.', high: late(paid, metricNames.chance), low: late(paid, metricNames.success) },
    {
      text: 'Paid once, success is higher.',
      high: late(mended, metricNames.success),
      low: late(paid, metricNames.success),
      by: 0.1,
    },
  ],
  parts: [
    {
      id: 'pay',
      title: () => msg('Pay for every ingredient'),
      text: () => [
        msg(
          'Somebody wants the agent to learn faster and pays it for a step on the way: 0.3 for each ingredient that it gets, beside 1 for the crafted item. An episode ends with the item, or after six turns.',
        ),
        msg(
          'Choose Train, and wait for twelve steps. Compare the chart Reward and its parts with the chart Success beside it.',
        ),
      ],
      experiment: paid,
      where: { panel: 'progress' },
      done: (seen) => isRunOf(seen, paid) && seen.trained.length >= enough,
      far: progressNote,
    },
    {
      id: 'look',
      title: () => msg('Look at the episodes'),
      text: () => [
        msg(
          'The reward has risen and success has fallen below chance. Open a group of the last step: each episode lists the parts of its reward, and its actions.',
        ),
        msg(
          'Six turns of getting pay 1.8. Getting one ingredient and crafting pays 1.3, because the item ends the episode: the agent does what is paid.',
        ),
      ],
      where: { panel: 'stage', tab: 'group' },
      done: (seen) => isRunOf(seen, paid) && ['group', 'trajectory'].includes(seen.state.selection.tab),
    },
    {
      id: 'mended',
      title: () => msg('Pay once'),
      text: () => [
        msg('The same run, with one change: the ingredient is paid once an episode, however many are got.'),
        msg(
          'Choose Train, and wait for twelve steps. The part still rises at first, but nothing is earned by getting more, so the rest of the reward comes from success.',
        ),
      ],
      experiment: mended,
      where: { panel: 'progress' },
      done: (seen) => isRunOf(seen, mended) && seen.trained.length >= enough,
      far: progressNote,
    },
  ],
  questions: [
    {
      id: 'sign',
      text: () => msg('Which curves show that a reward is being cheated?'),
      choices: [
        {
          text: () => msg('The reward rises while success on the task does not, or falls.'),
          right: true,
          feedback: () => msg('Yes. That is why success is measured apart from the reward, and never changed by it.'),
        },
        {
          text: () => msg('The reward rises quickly.'),
          feedback: () => msg('A policy that learns the task raises its reward quickly, too.'),
        },
        {
          text: () => msg('Entropy falls.'),
          feedback: () => msg('Entropy falls in any run that learns: a policy becomes surer of its choices.'),
        },
      ],
    },
    {
      id: 'cost',
      text: () =>
        msg('To get shorter episodes you reward each turn with minus 1, beside 1 for success. What may happen?'),
      choices: [
        {
          text: () => msg('The agent ends the episode as soon as it can, even without success.'),
          right: true,
          feedback: () =>
            msg(
              'Yes: where a world can be left early, giving up costs less than trying. A price of a turn must be small beside success.',
            ),
        },
        {
          text: () => msg('Nothing: the agent still wants the 1 for success.'),
          feedback: () =>
            msg('It wants the largest sum: five turns and a success make minus 4, giving up at once minus 1.'),
        },
        {
          text: () => msg('Success in evaluations is lowered by 1 a turn.'),
          feedback: () => msg('The world alone decides success; the reward is used in training only.'),
        },
      ],
    },
  ],
};
