/** Options of the household. Independent of WASM and of the data. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { choice, listOf, option, text, toggle, whole } from '../../fields/fields.ts';
import { taskKinds, taskLabels } from './made/task-kinds.ts';

const schema = v.strictObject({
  tasks: option(listOf('tasks', choice(taskKinds)), ['pick', 'light', 'clean', 'heat', 'cool', 'two'], {
    label: 'Tasks',
    sentence:
      "Kinds of tasks: ALFWorld's six, and three of our own (second-room, closed, both), which take more turns.",
    level: 'basic',
    choiceLabels: taskLabels,
  }),
  receptacles: option(whole(8, 24), 12, {
    label: 'Receptacles',
    sentence: 'Number of receptacles of a house: with more of them there are more places to search.',
    unit: 'receptacles',
    level: 'basic',
  }),
  clutter: option(whole(0, 80), 10, {
    label: 'Clutter',
    sentence: 'Number of objects beside those that the task needs.',
    unit: 'objects',
    level: 'basic',
  }),
  sharedPlaces: option(whole(0, 50), 0, {
    label: 'Shared places',
    sentence:
      'Share of the receptacles that stand at the place of another one, where the original has no way between them.',
    unit: '% of receptacles',
    step: 5,
  }),
  houses: option(whole(1, 100_000), 1000, {
    label: 'Training houses',
    sentence: 'Number of training houses for each kind of task: with more houses, none can be memorised.',
    unit: 'a kind',
    level: 'basic',
  }),
  testHouses: option(whole(1, 10_000), 50, {
    label: 'Held-out houses',
    sentence: 'Number of houses for each kind of task for evaluations, none of them furnished like a training house.',
    unit: 'a kind',
  }),
  dialect: option(choice(['move', 'put']), 'move', {
    label: 'Dialect',
    sentence:
      'Commands and texts of ALFWorld 0.4 and later (move X to Y), or of 0.3.3 (put X in/on Y), which AgentGym serves.',
    choiceLabels: { move: 'ALFWorld 0.4 and later', put: 'ALFWorld 0.3.3' },
  }),
  observation: option(choice(['full', 'brief']), 'full', {
    label: 'Observation',
    sentence: "Form of the observations: the original's sentences, or, for tiny policies, a few words.",
    level: 'basic',
    choiceLabels: { full: 'In full', brief: 'Few words' },
  }),
  commands: option(choice(['all', 'acting']), 'all', {
    label: 'Listed commands',
    sentence:
      'Valid actions: all as in the original, or without those that only inform (look, examine, inventory, help).',
    level: 'basic',
    choiceLabels: { all: 'All', acting: 'Without information' },
  }),
  partial: option(toggle(), false, {
    label: 'Partial reward',
    sentence: 'Reward each turn with half of the share of subgoals reached; if off, only a success is rewarded.',
    level: 'basic',
  }),
  oracle: option(choice(['sees', 'explores']), 'sees', {
    label: 'Oracle',
    sentence: 'The oracle knows where everything is, or searches as an agent must, which is what can be imitated.',
    choiceLabels: { sees: 'Sees everything', explores: 'Searches' },
  }),
  seed: option(whole(0, 0xffffffff), 1, {
    label: 'Seed of the houses',
    sentence: 'Seed from which the houses are drawn; another seed gives others.',
  }),
  games: option(text(0, 100), '', {
    label: 'Own games',
    sentence: 'Name of kept ALFWorld games that are played in place of made houses; empty for made houses.',
  }),
  instruction: instructionField,
});

export type HouseholdOptions = v.InferOutput<typeof schema>;

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseHousehold = optionsReader('Household', schema);
