/** Lesson 16: self-play in Kuhn poker. The last policy runs in circles, the mean of all policies approaches an equilibrium. */
import { msg, str } from '@lit/localize';
import plain from '../../../experiments/lessons/self-play.json';
import momentum from '../../../experiments/lessons/self-play-momentum.json';
import { fixed } from '../kit/format.ts';
import {
  answered,
  type Curve,
  indexOfLargest,
  isRunOf,
  type Lesson,
  type LessonContext,
  meanOf,
} from '../state/lesson.ts';

const last = 'exploitability';
const mean = 'exploitabilityOfMean';
/** Last steps of a run, over which exploitabilities are compared. */
const late = 10;

const curve = (run: unknown, of: string, from = -late, to = -1): Curve => ({ run, of, steps: [from, to] });

const isTrained = ({ trained }: LessonContext) => trained.length >= plain.steps;

/** Exploitability of the policy and of the mean over the last steps, chips a game. */
const ends = ({ trained }: LessonContext) => [last, mean].map((metric) => meanOf(trained, metric, late) ?? 0);

const endOf = (seen: LessonContext) => {
  const [policy, all] = ends(seen).map((end) => fixed(end));
  return msg(str`A perfect opponent wins from the policy ${policy} chips a game, from the mean of all policies ${all}`);
};

const progress = (seen: LessonContext) => (seen.trained.length ? endOf(seen) : '');

export const selfPlay: Lesson = {
  id: 'self-play',
  title: () => msg('Playing against oneself'),
  aim: () => msg('In self-play the task changes with the policy: the last policy may circle where the mean settles.'),
  minutes: 7,
  experiment: plain,
  start: { panel: 'stage', tab: 'play' },
  claims: [
    { text: 'An untrained policy loses much to a perfect opponent.', high: curve(plain, last, 1, 1), low: 0.4 },
    {
      text: 'Self-play makes it lose less.',
      high: curve(plain, last, 1, 1),
      low: curve(plain, last, 31, 40),
      by: 0.2,
    },
    {
      text: 'The last policy does not settle: it loses more at the end than in the middle.',
      high: curve(plain, last),
      low: curve(plain, last, 31, 40),
      by: 0.03,
    },
    { text: 'The mean of all policies loses little.', high: 0.1, low: curve(plain, mean) },
    {
      text: 'It loses less than the last policy.',
      high: curve(plain, last),
      low: curve(plain, mean),
      by: 0.05,
    },
    {
      text: 'With momentum the mean loses more.',
      high: curve(momentum, mean),
      low: curve(plain, mean),
      by: 0.05,
    },
  ],
  parts: [
    {
      id: 'play',
      title: () => msg('Play two games'),
      text: () => [
        msg(
          'Kuhn poker has three cards: jack, queen and king. Each player holds one and has put one chip in. You check or bet a chip; the other calls or folds. The higher card wins. Press Play and play two games or more.',
        ),
        msg(
          'No single answer is always right. A player who never bets with a jack is never called with a king; one who always does loses chips to every queen.',
        ),
      ],
      where: { panel: 'stage', tab: 'play' },
      done: ({ state }) => state.played.turns - state.played.refused >= 2,
    },
    {
      id: 'predict',
      title: () => msg('Predict who is harder to beat'),
      text: () => [
        msg(
          'The policy now plays both seats: at every step its opponent is itself, and sometimes one of its earlier selves. There is no fixed task, because the opponent learns too.',
        ),
        msg(
          'Success against itself stays near one half, whatever it learns. So the page computes exactly what a perfect opponent would win from it: its exploitability, in chips a game. Zero is an equilibrium; a random player loses 0.458.',
        ),
      ],
      ask: {
        text: () => msg('After a hundred steps, from whom will a perfect opponent win less?'),
        choices: [
          { text: () => msg('From the last policy, which has learnt the longest') },
          { text: () => msg('From a player who draws one of the policies of all steps before each game') },
          { text: () => msg('From both the same') },
        ],
        outcome: (seen) =>
          isRunOf(seen, plain) && isTrained(seen) ? indexOfLargest(ends(seen).map((end) => -end)) : null,
        result: (seen) => (isRunOf(seen, plain) && isTrained(seen) ? endOf(seen) : ''),
      },
      done: answered('self-play', 'predict'),
    },
    {
      id: 'train',
      title: () => msg('Let it play against itself'),
      text: () => [
        msg(
          'Choose Train, and wait for a hundred steps. Evaluations are against an equilibrium, so their success is not near one half.',
        ),
        msg(
          'The figures below are means of the last ten steps. Explain the metrics, above the charts, lists both as exploitability and exploitabilityOfMean.',
        ),
      ],
      where: { panel: 'progress' },
      done: (seen) => isRunOf(seen, plain) && isTrained(seen),
      far: progress,
    },
    {
      id: 'momentum',
      title: () => msg('The same with momentum'),
      text: () => [
        msg(
          'Optimisers usually have momentum: each step goes on partly in the direction of the steps before. Where the opponent turns, that direction is out of date. Until now it was switched off (beta1 0). This run has the usual 0.9.',
        ),
        msg('Choose Train and compare the mean of all policies with that of the run before.'),
      ],
      experiment: momentum,
      where: { panel: 'progress' },
      done: (seen) => isRunOf(seen, momentum) && isTrained(seen),
      far: progress,
    },
  ],
  questions: [
    {
      id: 'success',
      text: () => msg('Why does the success rate not show what is learnt in self-play?'),
      choices: [
        {
          text: () => msg('The opponent improves as well: a player against itself wins about half of the games.'),
          right: true,
          feedback: () =>
            msg('Yes. It takes an opponent outside of the training: here a perfect one, elsewhere earlier selves.'),
        },
        {
          text: () => msg('Because poker is a game of luck.'),
          feedback: () => msg('Over many games luck evens out, and exploitability has none in it: it is computed.'),
        },
        {
          text: () => msg('Because too few games are played.'),
          feedback: () => msg('With more games the rate becomes more exact, and stays near one half.'),
        },
      ],
    },
    {
      id: 'mean',
      text: () => msg('Why can the mean of all policies be harder to beat than each of them?'),
      choices: [
        {
          text: () => msg('The policies err in different directions, and an opponent cannot use them all at once.'),
          right: true,
          feedback: () =>
            msg(
              'Yes. Each answers the one before it and overshoots. A mixture of them has no gap that is always open.',
            ),
        },
        {
          text: () => msg('Because the mean of the weights is a better network.'),
          feedback: () =>
            msg('No weights are averaged: the strategies are, the probabilities of the actions in each situation.'),
        },
        {
          text: () => msg('Because it has been trained for more steps.'),
          feedback: () => msg('The last policy has all the steps behind it; the mean contains early ones too.'),
        },
      ],
    },
  ],
};
