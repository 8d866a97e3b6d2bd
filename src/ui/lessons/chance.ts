/** Lesson 2: chance and oracle, the two lines to compare a success rate with. */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/chance.json';
import { turnCount } from '../kit/counts.ts';
import { fixed } from '../kit/format.ts';
import { type Curve, type Lesson, type LessonContext, meanOf } from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';

const manyTurns = 8;

/** Trained steps whose horizon has at least `manyTurns` turns, or (`many` false) fewer. */
const under = ({ trained }: LessonContext, many: boolean) =>
  trained.filter(({ metrics }) => metrics.horizon >= manyTurns === many);

const few: Curve = { run: experiment, changes: { steps: 1 }, of: 'test.chance.rate', steps: [0, 0] };
const many: Curve = { ...few, changes: { steps: 1, 'horizon.0.turns': manyTurns } };

export const chance: Lesson = {
  id: 'chance',
  title: () => msg('Chance and oracle'),
  aim: () => msg('Why a success rate means nothing on its own.'),
  minutes: 5,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  claims: [
    { text: 'With a turn more than the oracle needs, chance reaches about one goal in five.', high: 0.3, low: few },
    { text: 'Chance reaches some goals.', high: few, low: 0.1 },
    { text: 'With eight turns chance reaches more.', high: many, low: few, by: 0.15 },
  ],
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
          'On the chart Success the dashed line is chance, the dotted line the oracle. Choose a step on the chart: click, or move to the chart with Tab and press the left arrow.',
        ),
        msg('The gap to chance shows what a policy has learnt. The gap to the oracle shows what it can still learn.'),
      ],
      where: { panel: 'progress' },
      done: ({ state }) => state.selection.step !== null,
    },
    {
      id: 'turns',
      title: () => msg('Give everyone more turns'),
      text: () => [
        msg(
          'Now give every episode eight turns: the button below sets the horizon. Then train one step. The page creates a fork: a new run that continues this one with the new setting.',
        ),
        msg(
          'Look at the dashed line: with more turns, luck alone reaches the goal more often. So a higher success rate under a longer horizon does not prove a better policy.',
        ),
      ],
      help: {
        label: () => msg(str`Allow ${turnCount(manyTurns)}`),
        act: (app) => app.draft.edit('horizon.0.turns', manyTurns),
      },
      done: (seen) => under(seen, true).length >= 1,
      far: (seen) => {
        const [few, many] = [false, true].map((each) => meanOf(under(seen, each), metricNames.chance));
        return few === null
          ? ''
          : many === null
            ? msg(str`Chance so far: ${fixed(few)}`)
            : msg(str`Chance: ${fixed(few)} before, ${fixed(many)} with ${turnCount(manyTurns)}.`);
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
          feedback: () => msg('Random choices alone already reach 50%.'),
        },
        {
          text: () => msg('Hardly better than choosing at random.'),
          right: true,
          feedback: () =>
            msg(
              'Yes. There were 50 points to gain over chance, and it gained 5. With few episodes even those may be luck, which is why every rate has an interval.',
            ),
        },
        {
          text: () => msg('You cannot tell without knowing the algorithm.'),
          feedback: () => msg('How it learnt does not matter for how well it does.'),
        },
      ],
    },
    {
      id: 'oracle',
      text: () => msg('What is the oracle’s line for?'),
      choices: [
        {
          text: () => msg('It shows the best success that is possible under this horizon.'),
          right: true,
          feedback: () => msg('Yes. Where even the oracle fails, no policy is to blame.'),
        },
        {
          text: () => msg('The policy learns from the oracle.'),
          feedback: () =>
            msg('Not here: reinforcement learning uses only rewards. Imitation (lesson 9) learns from an oracle.'),
        },
        {
          text: () => msg('It is the success of the best run so far.'),
          feedback: () =>
            msg('The oracle is not a run. It plans with the rules of the world, which the policy does not know.'),
        },
      ],
    },
  ],
};
