/** Lesson 3: a policy, token by token. The allowed tokens, their probabilities, and tokens without an alternative. */
import { msg } from '@lit/localize';
import experiment from '../../../experiments/lessons/policy.json';
import { isPolicyToken, type Lesson, openTrajectory } from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';

export const policy: Lesson = {
  id: 'policy',
  title: () => msg('A policy, token by token'),
  aim: () => msg('A policy is a distribution over the next token, given all before it.'),
  minutes: 6,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  claims: [
    {
      text: 'An untrained policy has choices: its draws differ.',
      high: { run: experiment, changes: { steps: 1 }, of: metricNames.entropy, steps: [1, 1] },
      low: 0.2,
    },
  ],
  parts: [
    {
      id: 'open',
      title: () => msg('Open an episode'),
      text: () => [
        msg(
          'Choose Step in the bar. When the step is done, open the tab Trajectory. It shows one episode of the step, token by token.',
        ),
        msg(
          'Underlined tokens with ◆ were chosen by the policy; the others come from the world. The policy only ever chooses the next token, again and again.',
        ),
      ],
      where: { panel: 'stage', tab: 'trajectory' },
      done: (seen) => openTrajectory(seen) !== null,
    },
    {
      id: 'token',
      title: () => msg('Choose one of its tokens'),
      text: () => [
        msg(
          'Click an underlined token, or move to a line of the policy with Tab and press the right arrow. At the side you see its probability and the other tokens that were allowed.',
        ),
      ],
      where: { panel: 'stage', tab: 'trajectory' },
      done: (seen) => openTrajectory(seen) !== null && isPolicyToken(seen),
    },
    {
      id: 'surprise',
      title: () => msg('Find a surprise'),
      text: () => [
        msg(
          'Find a token that was one of at least three allowed and had a probability below 0.5. Darker shading means less likely.',
        ),
        msg(
          'The policy does not take the likeliest token. It draws one at random, by the probabilities: without surprises it would never find anything new.',
        ),
      ],
      where: { panel: 'stage', tab: 'trajectory' },
      done: (seen) => {
        const { facts } = seen.place;
        return isPolicyToken(seen) && (facts?.allowed?.length ?? 0) >= 3 && Math.exp(facts?.logprob ?? 0) < 0.5;
      },
    },
    {
      id: 'forced',
      title: () => msg('Find a token without a choice'),
      text: () => [
        msg(
          'A dotted underline marks a token that was the only one allowed: the world offers a list of actions, and after “craft 1” only one next token may be possible.',
        ),
        msg('Such a token has probability 1 whatever the weights are, so there is nothing to learn from it.'),
      ],
      where: { panel: 'stage', tab: 'trajectory' },
      done: ({ place }) => place.facts?.forced === true,
    },
    {
      id: 'card',
      title: () => msg('See it in the formula'),
      text: () => [
        msg(
          'Choose a token again that had alternatives, and open Cards. The card Act shows the softmax that computes the probabilities, with the numbers of your token.',
        ),
      ],
      where: { panel: 'learn', learn: 'cards' },
      done: (seen) => seen.state.learn === 'cards' && isPolicyToken(seen) && seen.place.facts?.forced === false,
    },
  ],
  questions: [
    {
      id: 'temperature',
      text: () => msg('Every score is divided by the temperature T. What does a larger T do?'),
      choices: [
        {
          text: () => msg('It makes all allowed tokens more alike in probability.'),
          right: true,
          feedback: () =>
            msg(
              'Yes: a larger T makes the differences between scores smaller. T near 0 leaves only the likeliest token.',
            ),
        },
        {
          text: () => msg('It makes the likeliest token likelier still.'),
          feedback: () => msg('That is what a smaller T does.'),
        },
        {
          text: () => msg('It lets the policy choose tokens that are not allowed.'),
          feedback: () => msg('What is not allowed has probability 0 at every temperature.'),
        },
      ],
    },
    {
      id: 'draw',
      text: () => msg('Why does the policy draw its tokens while it learns, instead of taking the likeliest?'),
      choices: [
        {
          text: () => msg('Because drawing is faster.'),
          feedback: () => msg('It takes the same time.'),
        },
        {
          text: () => msg('Because only by trying different things can it find out what does better.'),
          right: true,
          feedback: () => msg('Yes. Episodes that are all the same cannot be compared, as the next lesson shows.'),
        },
        {
          text: () => msg('Because the likeliest token is usually wrong.'),
          feedback: () => msg('Early on it is as good as any, later it is usually right.'),
        },
      ],
    },
  ],
};
