/** Schema of the options of a world that a person typed: its code, and how its tasks are made and held out. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { option, text, whole } from '../../fields/fields.ts';
import { longestWorldCode } from './bounds.ts';
import guess from './templates/guess.js?raw';

/** Code of the world if none is given: the first template. */
export const firstCode = guess;

const schema = v.strictObject({
  code: option(text(1, longestWorldCode), firstCode, {
    label: 'Code',
    sentence: 'The world as JavaScript: tasks, reset, step, and what else docs/own-world.md names.',
    kind: 'code',
    level: 'basic',
    change: 'restart',
  }),
  seed: option(whole(0, 0x7fffffff), 1, {
    label: 'Seed of the tasks',
    sentence: 'Seed that the world makes its tasks from: another seed gives other tasks, if the code draws any.',
    change: 'restart',
  }),
  heldOut: option(whole(5, 50), 20, {
    label: 'Held-out tasks',
    sentence:
      'Share of the tasks that are kept for evaluations, unless the code divides them itself: with more, fewer are trained on.',
    unit: '%',
    step: 5,
    change: 'restart',
  }),
  instruction: instructionField,
});

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseOwnOptions = optionsReader('Own world', schema);
