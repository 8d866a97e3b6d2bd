/** Lesson 18: what the agent remembers. The window that a turn reads decides what a policy can learn. */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/remember.json';
import { percent } from '../kit/format.ts';
import { answered, type Curve, type Lesson, type LessonContext, openTrajectory } from '../state/lesson.ts';
import { heldOutOf, isSweepTrained, openVariant, sweepProgress } from './sweep.ts';

const { steps } = experiment;
const variants = ['One turn', 'Two turns', 'All'] as const;
/** Turn of the question, from 0. */
const asked = 3;

const heldOut = (variant: (typeof variants)[number]): Curve => ({
  run: experiment,
  variant,
  of: 'test.policy.rate',
  steps: [steps, steps],
});

const isTrained = (seen: LessonContext) => isSweepTrained(seen, experiment);

function result(seen: LessonContext): string {
  if (!isTrained(seen)) return '';
  const [one, two, all] = variants.map((name) => percent(heldOutOf(seen, name) ?? 0));
  return msg(str`Held-out questions answered: with one turn ${one}, with two ${two}, with all turns ${all}`);
}

export const remember: Lesson = {
  id: 'remember',
  title: () => msg('What the agent remembers'),
  aim: () => msg('An agent knows what its turn reads. What lies outside of this window, no training can bring back.'),
  minutes: 6,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  claims: [
    { text: 'With one turn it stays near chance.', high: 0.45, low: heldOut('One turn') },
    { text: 'With two turns it answers.', high: heldOut('Two turns'), low: 0.9 },
    { text: 'With all turns it answers.', high: heldOut('All'), low: 0.9 },
  ],
  parts: [
    {
      id: 'predict',
      title: () => msg('Predict which one can answer'),
      text: () => [
        msg(
          'The world is made for this lesson. Turn 1: the policy waits and reads which color a key has, and how the sky is. Turn 2: nothing happens. Turn 3: the world asks for the key. Turn 4: the policy answers with one of three colors.',
        ),
        msg(
          'The setup has a sweep of three runs, which imitate an oracle that knows the answer. They differ in the window: the first reads at each turn only the last turn and the answer before it, the second the last two turns and the answer before them, the third everything.',
        ),
      ],
      ask: {
        text: () => msg('Which runs will learn to answer?'),
        choices: [
          { text: () => msg('All three: what it has read is in the weights') },
          { text: () => msg('Those with two turns and with all') },
          { text: () => msg('Only the one with all turns') },
        ],
        result,
      },
      done: answered('remember', 'predict'),
    },
    {
      id: 'sweep',
      title: () => msg('Train the three windows'),
      text: () => [
        msg(
          'Choose Train. The world is typed in JavaScript and travels with the experiment, so the page shows its code and asks before it runs. Read it and choose Run it.',
        ),
        msg('After thirty steps each run is evaluated on combinations that it has never seen. Chance is one third.'),
      ],
      where: { panel: 'progress' },
      done: isTrained,
      far: sweepProgress,
    },
    {
      id: 'read',
      title: () => msg('See what the last turn read'),
      text: () => [
        msg(
          'With two turns the answer about the key is just inside of the window, and the policy answers as well as with all. With one turn it is outside: the question looks the same for every color, and guessing is the best there is.',
        ),
        msg(
          'A shorter window has its use: forty turns of ScienceWorld in a window of four need a quarter to a third of the memory of whole episodes. But it has to contain what counts.',
        ),
        msg(
          'Open the run “One turn”, then one of its episodes, and choose turn 4. The parts that this turn did not read are marked.',
        ),
      ],
      where: { panel: 'stage', tab: 'group' },
      help: {
        label: () => msg('Open the run “One turn”'),
        act: openVariant('One turn'),
      },
      done: (seen) =>
        seen.state.run?.sweep !== undefined && openTrajectory(seen) !== null && seen.state.selection.turn === asked,
    },
  ],
  questions: [
    {
      id: 'weights',
      text: () =>
        msg('The policy has read the color of the key at turn 1. Why can the weights not keep it until turn 4?'),
      choices: [
        {
          text: () => msg('Weights change between steps of training, not during an episode.'),
          right: true,
          feedback: () => msg('Yes. Within an episode a policy knows its weights and its window, and nothing else.'),
        },
        {
          text: () => msg('The policy is too small.'),
          feedback: () => msg('The same policy answers with a window of two turns.'),
        },
        {
          text: () => msg('It was not trained for long enough.'),
          feedback: () => msg('The question reads the same for every color. More steps cannot tell them apart.'),
        },
      ],
    },
    {
      id: 'long',
      text: () =>
        msg(
          'An episode has two hundred turns, and the window has room for twenty. What was said at turn 3 counts at the end. What helps?',
        ),
      choices: [
        {
          text: () => msg('Notes that stay in the window, such as a summary that the policy writes.'),
          right: true,
          feedback: () =>
            msg(
              'Yes: the setting “summary”. The policy then has to learn which line is worth keeping, and reward can teach it.',
            ),
        },
        {
          text: () => msg('A higher temperature.'),
          feedback: () => msg('It makes actions more random, and brings nothing back.'),
        },
        {
          text: () => msg('More episodes in each group.'),
          feedback: () => msg('None of them has the missing line in its window.'),
        },
      ],
    },
  ],
};
