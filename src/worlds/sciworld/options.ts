/** Schema and parser of ScienceWorld's options. Independent of the WASM instance. */
import * as v from 'valibot';
import { optionsReader } from '../../envs/options.ts';
import { choice, listOf, option, toggle, whole } from '../../fields/fields.ts';
import { agentGymTasks, sciWorldTasks, sciWorldVerbs, simplificationLabels } from './tasks.ts';

const names = sciWorldTasks.map(({ name }) => name) as [string, ...string[]];

/** "find-living-thing": "Find living thing". */
const inWords = (name: string) => `${name[0].toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`;

// Keep the order of the options: it is part of a task's key, which seeds random draws.
const schema = v.strictObject({
  tasks: option(
    listOf('tasks', choice(names)),
    agentGymTasks.map(({ name }) => name),
    {
      label: 'Tasks',
      sentence: 'Which experiments are done: finding things is short, chemistry and growing take long.',
      level: 'basic',
      choiceLabels: Object.fromEntries(names.map((name) => [name, inWords(name)])),
    },
  ),
  simplifications: option(listOf('simplifications', choice(simplificationLabels), 0), [], {
    label: 'Simplifications',
    sentence:
      'What is made easier: doors and containers open, moving in one action, pots that water themselves; easy is most of them.',
    level: 'basic',
    choiceLabels: {
      selfWateringFlowerPots: 'Flower pots water themselves',
      teleportAction: 'Moving to any room in one action',
      noElectricalAction: 'No electrical actions',
      openDoors: 'Doors open',
      openContainers: 'Containers open',
      easy: 'Easy',
    },
  }),
  stepLimit: option(whole(1, 1000), 100, {
    label: 'Move limit',
    sentence: 'After how many moves the world ends an episode, whatever the horizon.',
    unit: 'moves',
  }),
  validActions: option(toggle(), true, {
    label: 'List actions',
    sentence: 'Whether the world lists the valid actions of each turn; without the list, actions cannot be masked.',
  }),
  verbs: option(listOf('verbs', v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty')), 0), [], {
    label: 'Verbs',
    sentence: 'Only actions that begin so are offered; with none chosen, all are.',
    choices: sciWorldVerbs,
  }),
  // With the original rules, listing actions consumes the world's random numbers.
  upstream: option(toggle(), false, {
    label: 'Original rules',
    sentence: 'Keep the rules of the original where ours differ, to compare with published results.',
  }),
  oracle: option(choice(['knows', 'finds out', 'guesses']), 'knows', {
    label: 'Oracle',
    sentence:
      'Whether the oracle knows the answers, or looks, tests and reads before it acts, as the agent must: only then can its play be imitated. Or it guesses among the boxes: whoever finds out must do better.',
    choiceLabels: { knows: 'Knows the answers', 'finds out': 'Finds out', guesses: 'Guesses' },
  }),
  // Development variations are for tuning, so that the test variations are evaluated only once.
  heldOut: option(choice(['test', 'dev']), 'test', {
    label: 'Held out',
    sentence: "Which variations evaluations ask: the original's test set, or those it sets apart to tune on.",
    choiceLabels: { test: 'Test', dev: 'Development' },
  }),
  fresh: option(toggle(), false, {
    label: 'New names at each draw',
    sentence:
      'Each time a variation of training is drawn, things exchange their names with others of their kind: what a thing is called has to be read, it cannot be remembered.',
  }),
  naming: option(whole(0, 0xffffffff), 0, {
    label: 'Naming',
    sentence: 'Which exchange of the names of things is used; 0 leaves each its own.',
  }),
  exchange: option(choice(['names', 'all']), 'names', {
    label: 'What is exchanged',
    sentence:
      'With new names at each draw: the names of things alone, or also boxes, side rooms, paints and warm with cold, while what is solid or liquid by its name keeps that. With all, less can be learnt by heart.',
    choiceLabels: { names: 'Names', all: 'Names, boxes, rooms, paints and warm with cold' },
  }),
});

export type SciWorldOptions = v.InferOutput<typeof schema>;

/**
 * Parses options and fills in defaults; an error for a value out of range contains its path, the value and the bound.
 */
export const parseSciWorldOptions = optionsReader('ScienceWorld', schema);
