/** Schema and parser of TextCraft's options. Independent of the WASM instance. */
import * as v from 'valibot';
import { optionsReader } from '../../envs/options.ts';
import { listOf, option, toggle, whole } from '../../fields/fields.ts';

const schema = v.strictObject({
  depths: option(listOf('depths', whole(1, 4)), [1, 2, 3, 4], {
    label: 'Depths',
    sentence:
      'How many crafting steps lie between the goal and what can be fetched: 1 is one craft, 4 is a chain of four.',
    unit: 'crafts',
    level: 'basic',
  }),
  distractors: option(whole(0, 100), 10, {
    label: 'Distractors',
    sentence: 'How many recipes that do not help are shown between those that do.',
    unit: 'recipes',
    level: 'basic',
  }),
  listSeed: option(whole(0, 0xffffffff), 42, {
    label: 'List seed',
    sentence: 'What the distractors and the order of the shown recipes are drawn from.',
  }),
  // Held-out goals use the first list alone.
  listSeeds: option(whole(1, 1000), 1, {
    label: 'Lists a goal',
    sentence:
      'Under how many different lists of recipes each training goal is met: with more of them, a goal is harder to learn by heart.',
  }),
  naming: option(whole(0, 0xffffffff), 0, {
    label: 'Naming',
    sentence: 'Which exchange of the words that items are called by is used; 0 leaves every item its own name.',
  }),
  keepKinds: option(toggle(), false, {
    label: 'Kinds keep their words',
    sentence:
      'Words that stand for a kind of thing ("planks") are not exchanged: a kind cannot be told from a thing by the text.',
  }),
  wholeNames: option(toggle(), false, {
    label: 'Names exchanged whole',
    sentence:
      'What an item is called is exchanged as a whole ("oak planks"), not word by word: for a policy whose tokens are names.',
  }),
  // Exchanges 1 to `namings`; held-out goals keep their own words.
  namings: option(whole(0, 1000), 0, {
    label: 'Namings a goal',
    sentence:
      'Under how many exchanges of names each training goal is met instead of its own: a goal must then be looked up, not remembered.',
  }),
  fresh: option(toggle(), false, {
    label: 'New at each draw',
    sentence:
      'Each time a goal of training is drawn it has other names, another list and 0 to the given number of distractors; its siblings ask the same list for other things.',
  }),
  madeUp: option(toggle(), false, {
    label: 'Made-up recipes',
    sentence:
      'Lists of recipes made up in the words of the world, a new one at each draw, instead of its own: only for training.',
  }),
  // These goals are for tuning, so that the test ids are evaluated only once.
  apart: option(whole(0, 200), 0, {
    label: 'Goals kept apart',
    sentence:
      'So many goals of training, evenly spread, are not trained on and stand in for the test goals: to tune on.',
    unit: 'goals',
  }),
  asked: option(whole(0, 1000), 0, {
    label: 'Asked for',
    sentence:
      'Which of the things that its list makes a goal of training is exchanged for; 0: none, it is asked for itself.',
  }),
});

export type TextCraftOptions = v.InferOutput<typeof schema>;

/**
 * Parses options and fills in defaults; an error for a value out of range contains its path, the value and the bound.
 */
export const parseTextCraftOptions = optionsReader('TextCraft', schema);
