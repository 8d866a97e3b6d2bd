/** Schema and parser of BabyAI's options. Independent of the WASM instance. */
import * as v from 'valibot';
import { optionsReader } from '../../envs/options.ts';
import { choice, listOf, option, toggle, whole } from '../../fields/fields.ts';
import { LEVELS, RL_LEVELS } from './split.ts';

const schema = v.strictObject({
  // AgentGym's level numbers.
  levels: option(listOf('levels', whole(1, LEVELS)), RL_LEVELS, {
    label: 'Levels',
    sentence:
      "Which of BabyAI's 40 levels are played: 1 to 5 are one room, later ones have doors, keys and several tasks.",
    level: 'basic',
  }),
  observation: option(choice(['full', 'compact', 'memory']), 'full', {
    label: 'Observation',
    sentence:
      "How the world speaks: in AgentGym's full words, or in a third of them, without the list of actions, for tiny policies; with a memory it also tells where nobody has looked yet, and what was seen before and is out of sight.",
    level: 'basic',
    choiceLabels: { full: 'Full', compact: 'Compact', memory: 'Compact, with a memory' },
  }),
  trainSeeds: option(whole(1, 100_000), 45, {
    label: 'Training rooms',
    sentence: 'How many different rooms of each level are trained on: with more of them, none is learnt by heart.',
    unit: 'a level',
    level: 'basic',
  }),
  testSeeds: option(whole(0, 100_000), 0, {
    label: 'Held-out rooms',
    sentence: "How many rooms of each level an evaluation may ask; 0 takes AgentGym's five.",
    unit: 'a level',
  }),
  // Development rooms are for tuning, so that the test rooms are evaluated only once.
  heldOut: option(choice(['test', 'dev']), 'test', {
    label: 'Held out',
    sentence:
      'Which rooms an evaluation asks: those of the test, or others as far from training, kept apart to tune on.',
    choiceLabels: { test: 'Test', dev: 'Development' },
  }),
  oracle: option(choice(['sees', 'explores', 'reads']), 'sees', {
    label: 'Oracle',
    sentence:
      'Whether the oracle knows the whole grid, or looks for what it has not seen, as the agent must: by all that is in view, or by what the text tells of it. What the text does not tell cannot be imitated.',
    choiceLabels: { sees: 'Sees everything', explores: 'Explores', reads: 'Explores by the text' },
  }),
  upstream: option(toggle(), false, {
    label: 'Original rules',
    sentence: 'Keep the rules of the original where ours differ, to compare with published results.',
  }),
});

export type BabyAiOptions = v.InferOutput<typeof schema>;

/**
 * Parses options and fills in defaults; an error for a value out of range contains its path, the value and the bound.
 */
export const parseBabyAiOptions = optionsReader('BabyAI', schema);
