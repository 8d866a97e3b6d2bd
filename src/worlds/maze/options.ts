/** Schema of the maze's options. Independent of WASM. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { choice, option, toggle, whole } from '../../fields/fields.ts';

const schema = v.strictObject({
  size: option(whole(3, 20), 5, {
    label: 'Size',
    sentence: 'Number of rooms along each side of the maze: with more rooms, paths are longer and dead ends deeper.',
    unit: 'rooms',
    level: 'basic',
  }),
  loops: option(whole(0, 50), 20, {
    label: 'Loops',
    sentence:
      'Share of the walls between rooms that are removed beyond those that connect all rooms: without loops, only one path leads to each room.',
    unit: '% of walls',
    level: 'basic',
    step: 5,
  }),
  nearest: option(whole(0, 100), 50, {
    label: 'Nearest start',
    sentence:
      'Minimum distance between start and goal, as a share of the distance of the farthest room: a smaller share also gives short paths.',
    unit: '% of the farthest',
    step: 10,
  }),
  observation: option(choice(['full', 'compact']), 'full', {
    label: 'Observation',
    sentence:
      "Form of the observations: the original's text with positions, or a text of a third of that length with the goal's direction, for tiny policies.",
    level: 'basic',
    choiceLabels: { full: 'Full', compact: 'Compact' },
  }),
  oracle: option(choice(['shortest', 'seen']), 'shortest', {
    label: 'Oracle',
    sentence:
      'Moves of the oracle: a shortest path, or what would be one if all cells that the agent has not seen were free, so that a policy can imitate it.',
    choiceLabels: { shortest: 'Knows the maze', seen: 'Knows what was seen' },
  }),
  trainMazes: option(whole(1, 100_000), 1000, {
    label: 'Training mazes',
    sentence: 'Number of different mazes in training: with more mazes, none can be memorised.',
    level: 'basic',
  }),
  testMazes: option(whole(1, 100_000), 200, {
    label: 'Held-out mazes',
    sentence: 'Number of mazes available for evaluations; none of them has the same walls as a training maze.',
  }),
  stepLimit: option(whole(0, 10_000), 0, {
    label: 'Move limit',
    sentence:
      'Number of moves after which the world ends an episode, whatever the horizon; 0 stands for twice the number of free cells.',
    unit: 'moves',
  }),
  upstream: option(toggle(), false, {
    label: 'Original maze',
    sentence:
      "The original's single maze with its 25 games and rules, for comparison with published results; no other option applies.",
  }),
  instruction: instructionField,
});

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseMazeOptions = optionsReader('Maze', schema);
