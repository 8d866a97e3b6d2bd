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
      sentence: 'Experiments to do: finding things is short; chemistry and growing plants are long.',
      level: 'basic',
      choiceLabels: Object.fromEntries(names.map((name) => [name, inWords(name)])),
    },
  ),
  simplifications: option(listOf('simplifications', choice(simplificationLabels), 0), [], {
    label: 'Simplifications',
    sentence:
      'Simplifications of the world: open doors and containers, moving in one action, self-watering pots; easy combines most of them.',
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
    sentence: 'Number of moves after which the world ends an episode, independently of the horizon.',
    unit: 'moves',
  }),
  validActions: option(toggle(), true, {
    label: 'List actions',
    sentence: 'Lists the valid actions of each turn; without the list, actions cannot be masked.',
  }),
  verbs: option(listOf('verbs', v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty')), 0), [], {
    label: 'Verbs',
    sentence: 'Only actions that begin with one of these verbs are listed; with none chosen, all are.',
    choices: sciWorldVerbs,
  }),
  // With the original rules, listing actions consumes the world's random numbers.
  upstream: option(toggle(), false, {
    label: 'Original rules',
    sentence: "Use the original's rules where ours differ, for comparison with published results.",
  }),
  oracle: option(choice(['knows', 'finds out', 'guesses']), 'knows', {
    label: 'Oracle',
    sentence:
      'The oracle knows the answers; or it looks, tests and reads before it answers, as the agent must, so that a policy can imitate it; or it guesses one of the boxes, as a baseline.',
    choiceLabels: { knows: 'Knows the answers', 'finds out': 'Finds out', guesses: 'Guesses' },
  }),
  // Development variations are for tuning, so that the test variations are evaluated only once.
  heldOut: option(choice(['test', 'dev']), 'test', {
    label: 'Held out',
    sentence: "Variations of evaluations: the original's test set, or its development set, meant for tuning.",
    choiceLabels: { test: 'Test', dev: 'Development' },
  }),
  fresh: option(toggle(), false, {
    label: 'New names at each draw',
    sentence:
      'Each time a training variation is drawn, things exchange names with others of their kind: names must be read and cannot be memorised.',
  }),
  naming: option(whole(0, 0xffffffff), 0, {
    label: 'Naming',
    sentence: "Number of the exchange of names; 0 keeps every thing's own name.",
  }),
  exchange: option(choice(['names', 'all']), 'names', {
    label: 'Exchange',
    sentence:
      'Extent of the exchange with new names at each draw: only the names of things, or also boxes, side rooms, paints, and warm with cold. In the second case names that contain solid or liquid keep it, rare rooms are drawn as often as others, and less can be memorised.',
    choiceLabels: { names: 'Names', all: 'Names, boxes, rooms, paints, and warm with cold' },
  }),
  // Only in subgoals: number of ordered subgoals at which an episode ends as a success.
  part: v.optional(whole(1, 40)),
});

export type SciWorldOptions = v.InferOutput<typeof schema>;

/**
 * Parses options and fills in defaults; an error for a value out of range contains its path, the value and the bound.
 */
export const parseSciWorldOptions = optionsReader('ScienceWorld', schema);
