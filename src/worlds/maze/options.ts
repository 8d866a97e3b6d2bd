/** Schema of the maze's options. Independent of WASM. */
import * as v from 'valibot';
import { oneOf, option, optionsReader, whole, yesOrNo } from '../../envs/options.ts';

const schema = v.strictObject({
  size: option(whole(3, 20), 5, {
    label: 'Size',
    sentence:
      'How many rooms lie along each side of the maze: with more of them, ways are longer and dead ends deeper.',
    unit: 'rooms',
    level: 'basic',
  }),
  loops: option(whole(0, 50), 20, {
    label: 'Loops',
    sentence:
      'How many of the walls between rooms are taken away beyond what joins them all: with none, one way alone leads anywhere.',
    unit: '% of walls',
    level: 'basic',
    step: 5,
  }),
  nearest: option(whole(0, 100), 50, {
    label: 'Nearest start',
    sentence:
      'How far from the goal an episode begins at least, as a share of the farthest room: with less, some ways are short.',
    unit: '% of the farthest',
    step: 10,
  }),
  observation: option(oneOf(['full', 'compact']), 'full', {
    label: 'Observation',
    sentence:
      "How the world speaks: in the original's words, with positions, or in a third of them, with the goal's direction, for tiny policies.",
    level: 'basic',
    choiceLabels: { full: 'Full', compact: 'Compact' },
  }),
  trainMazes: option(whole(1, 100_000), 1000, {
    label: 'Training mazes',
    sentence: 'How many different mazes are trained on: with more of them, none is learnt by heart.',
    level: 'basic',
  }),
  testMazes: option(whole(1, 100_000), 200, {
    label: 'Held-out mazes',
    sentence: 'How many mazes an evaluation may ask; none of them has the walls of a training maze.',
  }),
  stepLimit: option(whole(0, 10_000), 0, {
    label: 'Move limit',
    sentence: 'After how many moves the world ends an episode, whatever the horizon; 0 is twice the free cells.',
    unit: 'moves',
  }),
  upstream: option(yesOrNo(), false, {
    label: 'Original maze',
    sentence:
      "The original's one maze, its 25 games and its rules, to compare with published results; no other option applies.",
  }),
});

export type MazeOptions = v.InferOutput<typeof schema>;

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseMazeOptions = optionsReader('Maze', schema);
