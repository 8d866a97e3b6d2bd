/** Schema and parser of TextCraft's options. Independent of the WASM instance. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { listOf, option, toggle, whole } from '../../fields/fields.ts';

const schema = v.strictObject({
  depths: option(listOf('depths', whole(1, 4)), [1, 2, 3, 4], {
    label: 'Depths',
    sentence:
      'Number of crafting steps from things that can be fetched to the goal: 1 is a single craft, 4 a chain of four.',
    unit: 'crafts',
    level: 'basic',
  }),
  distractors: option(whole(0, 100), 10, {
    label: 'Distractors',
    sentence: 'Number of useless recipes shown among the useful ones.',
    unit: 'recipes',
    level: 'basic',
  }),
  listSeed: option(whole(0, 0xffffffff), 42, {
    label: 'List seed',
    sentence: 'Seed of the distractors and of the order of the recipes.',
  }),
  // Held-out goals use the first list alone.
  listSeeds: option(whole(1, 1000), 1, {
    label: 'Lists per goal',
    sentence:
      'Number of different recipe lists for each training goal: the more there are, the harder a goal is to memorise.',
  }),
  naming: option(whole(0, 0xffffffff), 0, {
    label: 'Naming',
    sentence: "Number of the exchange of words in item names; 0 keeps every item's own name.",
  }),
  keepKinds: option(toggle(), false, {
    label: 'Kinds keep their words',
    sentence:
      'Words for a kind of thing ("planks") are not exchanged, because the text does not distinguish a kind from a thing.',
  }),
  wholeNames: option(toggle(), false, {
    label: 'Names exchanged whole',
    sentence: 'Exchanges whole item names ("oak planks"), not single words: for policies whose tokens are names.',
  }),
  // Exchanges 1 to `namings`; held-out goals keep their own words.
  namings: option(whole(0, 1000), 0, {
    label: 'Namings per goal',
    sentence:
      'Number of exchanges of names under which each training goal appears, in place of its own names: recipes must then be looked up and cannot be memorised.',
  }),
  fresh: option(toggle(), false, {
    label: 'New at each draw',
    sentence:
      'Each time a training goal is drawn, it gets new names, a new list and up to the given number of distractors; the other attempts of its group get the same list with other goals.',
  }),
  madeUp: option(toggle(), false, {
    label: 'Made-up recipes',
    sentence:
      "Generates a new recipe list with the world's words at each draw, in place of the world's own lists; only for training.",
  }),
  // These goals are for tuning, so that the test ids are evaluated only once.
  apart: option(whole(0, 200), 0, {
    label: 'Goals kept apart',
    sentence:
      'Number of training goals, evenly spread, that are left out of training and replace the test goals in evaluations, for tuning.',
    unit: 'goals',
  }),
  asked: option(whole(0, 1000), 0, {
    label: 'Goal number',
    sentence: 'Replaces a training goal by another thing that its list makes, by number; 0 keeps the goal.',
  }),
  instruction: instructionField,
});

export type TextCraftOptions = v.InferOutput<typeof schema>;

/**
 * Parses options and fills in defaults; an error for a value out of range contains its path, the value and the bound.
 */
export const parseTextCraftOptions = optionsReader('TextCraft', schema);
