/** Lesson 3: a policy, token by token. The allowed tokens, their probabilities, and tokens without an alternative. */
import { msg } from '@lit/localize';
import experiment from '../../../experiments/lessons/policy.json';
import { type Lesson, ofPolicy, reads } from '../state/lesson.ts';

export const policy: Lesson = {
  id: 'policy',
  title: () => msg('A policy, token by token'),
  aim: () => msg('A policy is a distribution over the next token, given all before it.'),
  minutes: 6,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  parts: [
    {
      id: 'open',
      title: () => msg('Open an episode'),
      text: () => [
        msg(
          'Choose Step in the bar. When the step is done, open the tab Trajectory: one episode of it, word for word.',
        ),
        msg(
          'Underlined tokens with ◆ were chosen by the policy, the others were said by the world. The policy says nothing but the next token, again and again.',
        ),
      ],
      where: { panel: 'stage', tab: 'trajectory' },
      done: (seen) => reads(seen) !== null,
    },
    {
      id: 'token',
      title: () => msg('Choose one of its tokens'),
      text: () => [
        msg(
          'Click an underlined token, or come to a line of the policy with Tab and press the right arrow. Beside it stands how probable it was, and what else was allowed.',
        ),
      ],
      where: { panel: 'stage', tab: 'trajectory' },
      done: (seen) => reads(seen) !== null && ofPolicy(seen),
    },
    {
      id: 'surprise',
      title: () => msg('Find a surprise'),
      text: () => [
        msg(
          'Find a token that had at least three to choose among and a probability below 0.5: darker shading is less expected.',
        ),
        msg(
          'The policy does not take the likeliest token. It draws by the probabilities: without surprises it would never find anything new.',
        ),
      ],
      where: { panel: 'stage', tab: 'trajectory' },
      done: (seen) => {
        const { facts } = seen.place;
        return ofPolicy(seen) && (facts?.allowed?.length ?? 0) >= 3 && Math.exp(facts?.logprob ?? 0) < 0.5;
      },
    },
    {
      id: 'forced',
      title: () => msg('Find a token without a choice'),
      text: () => [
        msg(
          'Dotted underlines mark tokens that were the only one allowed: the world offers a list of actions, and after “craft 1” it may leave a single way to go on.',
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
          'Choose a token with a choice again and open Cards. The card Act has the softmax that made the probabilities, with the numbers of your token in it.',
        ),
      ],
      where: { panel: 'learn', learn: 'cards' },
      done: (seen) => seen.state.learn === 'cards' && ofPolicy(seen) && seen.place.facts?.forced === false,
    },
  ],
  questions: [
    {
      id: 'temperature',
      text: () => msg('The temperature T stands under every score. What does a larger T do?'),
      choices: [
        {
          text: () => msg('It makes all allowed tokens more alike in probability.'),
          right: true,
          feedback: () =>
            msg('Yes: scores are divided by T before the softmax. T near 0 leaves only the likeliest token.'),
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
          feedback: () =>
            msg('Yes. Episodes that are all the same have nothing to be compared by, as the next lesson shows.'),
        },
        {
          text: () => msg('Because the likeliest token is usually wrong.'),
          feedback: () => msg('Early on it is as good as any, later it is usually right.'),
        },
      ],
    },
  ],
};
