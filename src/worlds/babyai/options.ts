/** Schema and parser of BabyAI's options. Independent of the WASM instance. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { choice, listOf, option, toggle, whole } from '../../fields/fields.ts';
import { LEVELS, RL_LEVELS } from './split.ts';

const schema = v.strictObject({
  // AgentGym's level numbers.
  levels: option(listOf('levels', whole(1, LEVELS)), RL_LEVELS, {
    label: 'Levels',
    sentence: 'BabyAI levels to play, out of 40: 1 to 5 have one room; later ones have doors, keys and several tasks.',
    level: 'basic',
  }),
  observation: option(choice(['full', 'compact', 'memory', 'frontier']), 'full', {
    label: 'Observation',
    sentence:
      "Form of the observations: AgentGym's full text, or a compact text of a third of the length without the list of actions, for tiny policies. With a memory the compact text also contains the unexplored places and the things seen earlier that are out of sight; the form for exploring rates the ways on by how much is left to see there.",
    level: 'basic',
    choiceLabels: {
      full: 'Full',
      compact: 'Compact',
      memory: 'Compact, with a memory',
      frontier: 'Compact, for exploring',
    },
  }),
  trainSeeds: option(whole(1, 100_000), 45, {
    label: 'Training rooms',
    sentence:
      'Number of different training rooms of each level: the more there are, the less a policy can memorise them.',
    unit: 'a level',
    level: 'basic',
  }),
  testSeeds: option(whole(0, 100_000), 0, {
    label: 'Held-out rooms',
    sentence: "Number of rooms of each level for evaluations; 0 means AgentGym's five.",
    unit: 'a level',
  }),
  // Development rooms are for tuning, so that the test rooms are evaluated only once.
  heldOut: option(choice(['test', 'dev']), 'test', {
    label: 'Held out',
    sentence:
      'Rooms of evaluations: the test rooms, or development rooms, which are equally far from training and meant for tuning.',
    choiceLabels: { test: 'Test', dev: 'Development' },
  }),
  oracle: option(choice(['sees', 'explores', 'reads']), 'sees', {
    label: 'Oracle',
    sentence:
      'Knowledge of the oracle: the whole grid, or only what it has explored, as for the agent. An exploring oracle uses everything in view, or only the part of it that the text contains; a policy cannot imitate decisions based on facts outside the text.',
    choiceLabels: { sees: 'Sees everything', explores: 'Explores', reads: 'Explores by the text' },
  }),
  upstream: option(toggle(), false, {
    label: 'Original rules',
    sentence: "Use the original's rules where ours differ, for comparison with published results.",
  }),
  instruction: instructionField,
  // Only in subgoals: number of the action of the instruction that is asked alone, in the order of doing them.
  part: v.optional(whole(1, 4)),
});

/**
 * Parses options and fills in defaults; an error for a value out of range contains its path, the value and the bound.
 */
export const parseBabyAiOptions = optionsReader('BabyAI', schema);
