/** Lesson 2: chance and oracle, the two lines to compare a success rate with. */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/chance.json';
import { fixed } from '../kit/format.ts';
import { type Lesson, meanOf, type Seen } from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';

const manyTurns = 8;

/** Trained steps whose horizon has at least `manyTurns` turns, or (`many` false) fewer. */
const under = ({ trained }: Seen, many: boolean) =>
  trained.filter(({ metrics }) => metrics.horizon >= manyTurns === many);

export const chance: Lesson = {
  id: 'chance',
  title: () => msg('Chance and oracle'),
  aim: () => msg('Why a success rate says nothing by itself.'),
  minutes: 5,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  parts: [
    {
      id: 'step',
      title: () => msg('Train one step'),
      text: () => [
        msg(
          'Choose Step in the bar. Before it trains, the page measures three players on the same tasks: the policy with random weights, a player that chooses uniformly among the offered actions (chance), and one that plans with the rules (the oracle).',
        ),
        msg(
          'The policy has learnt nothing and still reaches some goals. So does chance: with one turn more than the oracle needs, about one episode in five.',
        ),
      ],
      where: { panel: 'stage', tab: 'watch' },
      done: ({ trained }) => trained.length >= 1,
    },
    {
      id: 'lines',
      title: () => msg('Find the two lines'),
      text: () => [
        msg(
          'On the chart Success the dashed line is chance, the dotted one the oracle. Choose a step on it: click, or come to it with Tab and press the left arrow.',
        ),
        msg(
          'What a policy has learnt is what it does better than chance. What it can still learn lies below the oracle.',
        ),
      ],
      where: { panel: 'progress' },
      done: ({ state }) => state.selection.step !== null,
    },
    {
      id: 'turns',
      title: () => msg('Give everyone more turns'),
      text: () => [
        msg(
          'Now let every episode have eight turns: the button below sets the horizon. Then train a step: the page makes a fork, a new run that goes on from this one with the new setting.',
        ),
        msg(
          'Look at the dashed line: who may try longer hits the goal more often by luck. A higher success rate under a longer horizon may be no better policy.',
        ),
      ],
      help: {
        label: () => msg(str`Allow ${manyTurns} turns`),
        act: (app) => app.drafting.edit('horizon.0.turns', manyTurns),
      },
      done: (seen) => under(seen, true).length >= 1,
      far: (seen) => {
        const [few, many] = [false, true].map((each) => meanOf(under(seen, each), metricNames.chance));
        return few === null
          ? ''
          : many === null
            ? msg(str`Chance so far: ${fixed(few)}`)
            : msg(str`Chance: ${fixed(few)} before, ${fixed(many)} with ${manyTurns} turns.`);
      },
    },
  ],
  questions: [
    {
      id: 'half',
      text: () => msg('A policy reaches 55% of the goals, chance 50% and the oracle 100%. How good is it?'),
      choices: [
        {
          text: () => msg('It has learnt more than half of the task.'),
          feedback: () => msg('Half of that comes to anyone who acts at all.'),
        },
        {
          text: () => msg('Hardly better than choosing at random.'),
          right: true,
          feedback: () =>
            msg(
              'Yes: 5 of the 50 points that there were to gain. With few episodes even those may be luck, which is why every rate has its interval.',
            ),
        },
        {
          text: () => msg('That cannot be said without knowing the algorithm.'),
          feedback: () => msg('How it learnt does not matter for how well it does.'),
        },
      ],
    },
    {
      id: 'oracle',
      text: () => msg('What is the oracle’s line for?'),
      choices: [
        {
          text: () => msg('It shows what can be reached at all under this horizon.'),
          right: true,
          feedback: () => msg('Yes. Where even the oracle fails, no policy is to blame.'),
        },
        {
          text: () => msg('The policy learns from the oracle.'),
          feedback: () =>
            msg(
              'Not here: reinforcement learning has rewards alone. Imitation, in lesson 9, is what learns from an oracle.',
            ),
        },
        {
          text: () => msg('It is the success of the best run so far.'),
          feedback: () => msg('It is no run: it plans with the rules of the world, which the policy does not know.'),
        },
      ],
    },
  ],
};
