/** Schema of Wordle's options. Independent of WASM. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { choice, option, toggle, whole } from '../../fields/fields.ts';

/** Word lists, in the order of envs-wasm/wordle/dictionary.ts. */
export const wordLists = ['original', 'common', 'large'] as const;

/** Maximum number of words that a task may draw. */
const MOST_DRAWN = 1000;
/** Maximum seed of the oracle: two bytes. */
export const MOST_SEED = 0xffff;

const schema = v.strictObject({
  list: option(choice(wordLists), 'common', {
    label: 'Word list',
    sentence: "Words that may be hidden or guessed: the original's 40, 1,365 common ones or 3,438 (from SCOWL).",
    level: 'basic',
    choiceLabels: { original: "Original's 40", common: 'Common', large: 'Large' },
  }),
  // Words of a shorter list are taken at even distances from the full list.
  words: option(whole(0, 10_000), 0, {
    label: 'Words in play',
    sentence: 'Number of words of the list that are in play; 0 stands for all. Fewer words make the game easier.',
    unit: 'words',
    level: 'basic',
    step: 50,
  }),
  drawn: option(whole(0, MOST_DRAWN), 0, {
    label: 'Words drawn for a task',
    sentence:
      'Number of words in play that are drawn for each task; held-out tasks draw words that no training task uses. 0 uses all words in every task.',
    unit: 'words',
    step: 10,
  }),
  tries: option(whole(1, 12), 6, {
    label: 'Tries',
    sentence: 'Number of guesses in an episode.',
    level: 'basic',
  }),
  observation: option(choice(['full', 'compact', 'keyboard']), 'full', {
    label: 'Observation',
    sentence:
      'Form of the observations: a color for each letter; or, for tiny policies, a fact for each letter, or these facts and all letters known to be absent.',
    level: 'basic',
    choiceLabels: { full: 'Full', compact: 'Compact', keyboard: 'Keyboard' },
  }),
  spelled: option(toggle(), false, {
    label: 'Spell guesses',
    sentence: 'Offer words with spaces between their letters, so that a policy writes them letter by letter.',
  }),
  partial: option(toggle(), false, {
    label: 'Score for closeness',
    sentence:
      'A lost episode earns 0.1 for each letter in its correct place in the best guess; only the word itself is a success.',
  }),
  hints: option(toggle(), false, {
    label: 'Score for using hints',
    sentence:
      'An episode earns up to 0.5 in total for guesses that agree with all earlier colors; only the word itself is a success.',
  }),
  showWords: option(toggle(), false, {
    label: 'Show the words',
    sentence: 'The first observation lists all words in play, for language models that cannot know them.',
  }),
  oracle: option(choice(['fewest', 'any']), 'fewest', {
    label: 'Oracle',
    sentence:
      'Guesses of the oracle: the word that leaves the fewest, or any word that may be the hidden one, drawn anew for each demonstration, so that a policy can imitate it without a search.',
    choiceLabels: { fewest: 'Leaves the fewest', any: 'Any that may be it' },
  }),
  oracleSeed: option(whole(0, MOST_SEED), 0, {
    label: 'Seed of the oracle',
    sentence: 'Number by which an oracle that draws its guesses draws them; training draws a number for each episode.',
  }),
  upstream: option(toggle(), false, {
    label: 'Original rules',
    sentence:
      "The original's game, for comparison with published results. It hides no fixed word but draws a new one at each guess; of the other options only “Spell guesses” and “Show the words” apply.",
  }),
  instruction: instructionField,
});

export type WordleOptions = v.InferOutput<typeof schema>;

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseWordleOptions = optionsReader('Wordle', schema);
