/** The household's evaluation suite: held-out houses of ALFWorld's six kinds of tasks. */
import type { WorldSuite } from '../../envs/suite.ts';
import { taskLabels } from './made/task-kinds.ts';
import { heldOutIds } from './task-ids.ts';

const kinds = ['pick', 'light', 'clean', 'heat', 'cool', 'two'] as const;
/** A run's own evaluations play the first 50 held-out houses of each kind, unless its options ask for more. */
const first = 50;
const houses = 50;

export const householdSuites: readonly WorldSuite[] = [
  {
    name: 'household-unseen',
    label: 'Household, 300 tasks in unseen houses',
    sentence:
      'Fifty held-out houses of each of the six kinds of tasks, twelve receptacles each, furnished like no training house, 30 turns.',
    options: { tasks: [...kinds], receptacles: 12, clutter: 10, testHouses: first + houses },
    policyOptions: ['observation', 'commands', 'dialect', 'instruction'],
    split: 'test',
    ids: heldOutIds(kinds, first, houses),
    turns: 30,
    columns: kinds.map((kind) => taskLabels[kind]),
    columnOf: ({ strata }) => taskLabels[strata.task as (typeof kinds)[number]],
    standIn:
      "AgentGym's 200 items are games of ALFWorld's own houses, on which AgentEvol-7B, a pretrained language model that writes freely, has 88.0% (https://arxiv.org/abs/2406.04151). These are other houses with the same kinds of tasks, rules and texts.",
  },
];
