/** Lesson 9: imitation, then reinforcement. The limits of an oracle's demonstrations, and the gain from rewards. */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/imitation.json';
import { fixed } from '../kit/format.ts';
import { evaluated, type Lesson, meanOf, type Seen } from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';

/** Trained steps with episodes of the policy's own; a step of imitation has none and no success rate. */
const played = ({ trained }: Seen) => trained.filter(({ metrics }) => Number.isFinite(metrics[metricNames.success]));

export const imitation: Lesson = {
  id: 'imitation',
  title: () => msg('Imitation, then reinforcement'),
  aim: () => msg('Demonstrations give a quick start; reward goes on where they end.'),
  minutes: 7,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  parts: [
    {
      id: 'listen',
      title: () => msg('Let it imitate'),
      text: () => [
        msg(
          'The setup has two stages. In the first twelve steps the oracle plays and the policy only listens: SFT makes what the oracle said likelier, token by token. Choose Train.',
        ),
        msg(
          'There is no success on the chart yet, since the policy plays no episode of its own. At step 12 it is examined for the first time.',
        ),
      ],
      where: { panel: 'progress' },
      done: ({ trained }) => trained.some(({ step, evaluation }) => step >= 12 && evaluation),
      far: ({ trained }) => (trained.length ? msg(str`${trained.length} steps`) : ''),
    },
    {
      id: 'cards',
      title: () => msg('Compare the two objectives'),
      text: () => [
        msg(
          'Choose a step of the first stage on a chart, then open Cards: the objective is the plain log-probability of what was said. In the second stage it is the clipped ratio times the advantage.',
        ),
        msg(
          'The first knows no better and worse: every demonstration is right. The second has no demonstrations: it knows only what paid.',
        ),
      ],
      where: { panel: 'learn', learn: 'cards' },
      done: ({ state }) => state.learn === 'cards' && state.selection.step !== null && state.selection.step <= 12,
    },
    {
      id: 'reinforce',
      title: () => msg('Let it go on by reward'),
      text: () => [
        msg(
          'Train on, for at least eight steps of the second stage. Success begins far above chance, so that from the first step on there are groups with signal.',
        ),
        msg(
          'Whether reward adds to what was imitated is what the examination at step 24 shows: read it with its interval.',
        ),
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
      text: () => msg('When is imitation most worth it before reinforcement?'),
      choices: [
        {
          text: () => msg('Where chance solves half of the tasks.'),
          feedback: () => msg('There reinforcement finds enough successes by itself.'),
        },
        {
          text: () => msg('Where chance solves nothing, so that reward alone has no signal.'),
          right: true,
          feedback: () => msg('Yes: it brings the first successes that reinforcement needs.'),
        },
        {
          text: () => msg('Where no oracle and no demonstrations exist.'),
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
          feedback: () => msg('Here a few hundred demonstrations were enough for much of the way.'),
        },
        {
          text: () => msg('Learn tasks of several turns.'),
          feedback: () => msg('Each turn of a demonstration is imitated like any other text.'),
        },
      ],
    },
  ],
};
