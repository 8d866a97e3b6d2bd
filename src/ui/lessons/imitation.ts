/** Lesson 9: imitation, then reinforcement. The limits of an oracle's demonstrations, and the gain from rewards. */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/imitation.json';
import { stepCount } from '../kit/counts.ts';
import { fixed } from '../kit/format.ts';
import { evaluated, type Lesson, type LessonContext, meanOf } from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';

/** Trained steps with episodes of the policy's own; a step of imitation has none and no success rate. */
const played = ({ trained }: LessonContext) =>
  trained.filter(({ metrics }) => Number.isFinite(metrics[metricNames.success]));

export const imitation: Lesson = {
  id: 'imitation',
  title: () => msg('Imitation, then reinforcement'),
  aim: () => msg('Demonstrations give a quick start; rewards lead further.'),
  minutes: 7,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  claims: [
    {
      text: 'The second stage begins far above chance.',
      high: { run: experiment, of: metricNames.success, minus: metricNames.chance, steps: [13, 16] },
      low: 0.15,
    },
    {
      text: 'After imitation, held-out goals are above chance.',
      high: { run: experiment, of: 'test.policy.rate', minus: 'test.chance.rate', steps: [12, 12] },
      low: 0.1,
    },
  ],
  parts: [
    {
      id: 'listen',
      title: () => msg('Let it imitate'),
      text: () => [
        msg(
          'The setup has two stages. In the first twelve steps the oracle plays and the policy imitates: SFT makes the oracle’s actions more likely, token by token. Choose Train.',
        ),
        msg(
          'There is no success on the chart yet, because the policy plays no episodes of its own. At step 12 it is evaluated for the first time.',
        ),
      ],
      where: { panel: 'progress' },
      done: ({ trained }) => trained.some(({ step, evaluation }) => step >= 12 && evaluation),
      far: ({ trained }) => (trained.length ? stepCount(trained.length) : ''),
    },
    {
      id: 'cards',
      title: () => msg('Compare the two objectives'),
      text: () => [
        msg(
          'Choose a step of the first stage on a chart, then open Cards: the objective is the plain log-probability of the oracle’s tokens. In the second stage it is the clipped ratio times the advantage.',
        ),
        msg(
          'Imitation treats every demonstration as right. Reinforcement has no demonstrations: it learns only from rewards.',
        ),
      ],
      where: { panel: 'learn', learn: 'cards' },
      done: ({ state }) => state.learn === 'cards' && state.selection.step !== null && state.selection.step <= 12,
    },
    {
      id: 'reinforce',
      title: () => msg('Continue with rewards'),
      text: () => [
        msg(
          'Continue for at least eight steps of the second stage. Success begins far above chance, so there are groups with signal from the first step on.',
        ),
        msg('The evaluation at step 24 shows whether rewards improve on imitation. Look at its interval as well.'),
      ],
      where: { panel: 'progress' },
      done: (seen) => played(seen).length >= 8,
      far: (seen) => {
        const success = meanOf(played(seen), metricNames.success);
        const test = evaluated(seen.trained)?.test.policy;
        return success === null || !test
          ? ''
          : msg(
              str`Mean success in training ${fixed(success)}; held-out goals ${fixed(test.rate)} [${fixed(test.low)}, ${fixed(test.high)}]`,
            );
      },
    },
  ],
  questions: [
    {
      id: 'when',
      text: () => msg('When does imitation before reinforcement help most?'),
      choices: [
        {
          text: () => msg('When chance solves half of the tasks.'),
          feedback: () => msg('Then reinforcement finds enough successes by itself.'),
        },
        {
          text: () => msg('When chance solves nothing, so that rewards alone give no signal.'),
          right: true,
          feedback: () => msg('Yes: it brings the first successes that reinforcement needs.'),
        },
        {
          text: () => msg('When there is neither an oracle nor a demonstration.'),
          feedback: () => msg('Then there is nothing to imitate.'),
        },
      ],
    },
    {
      id: 'limit',
      text: () => msg('What can imitation alone not do?'),
      choices: [
        {
          text: () => msg('Become better than what it imitates, or recover from a state the teacher never gets into.'),
          right: true,
          feedback: () => msg('Yes. The policy meets its own mistakes, and no demonstration begins there.'),
        },
        {
          text: () => msg('Learn from fewer than a million episodes.'),
          feedback: () => msg('Here a few hundred demonstrations were enough to learn much of the task.'),
        },
        {
          text: () => msg('Learn tasks of several turns.'),
          feedback: () => msg('Each turn of a demonstration is imitated like any other text.'),
        },
      ],
    },
  ],
};
