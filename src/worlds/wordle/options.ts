/** Schema of Wordle's options. Independent of WASM. */
import * as v from 'valibot';
import { oneOf, option, optionsReader, whole, yesOrNo } from '../../envs/options.ts';

/** Word lists, in the order of envs-wasm/wordle/dictionary.ts. */
export const wordLists = ['original', 'common', 'large'] as const;

/** Maximum number of words that a task may draw. */
export const MOST_DRAWN = 200;

const schema = v.strictObject({
  list: option(oneOf(wordLists), 'common', {
    label: 'Word list',
    sentence: "Which words may be hidden and are offered: the original's 40, 1,365 common ones or 3,438 (from SCOWL).",
    level: 'basic',
    choiceLabels: { original: "Original's 40", common: 'Common', large: 'Large' },
  }),
  // Words of a shorter list are taken at even distances from the full list.
  words: option(whole(0, 10_000), 0, {
    label: 'Words in play',
    sentence: 'How many words of the list are in play; 0 is all of them, and fewer make the game easier.',
    unit: 'words',
    level: 'basic',
    step: 50,
  }),
  drawn: option(whole(0, MOST_DRAWN), 0, {
    label: 'Words drawn for a task',
    sentence:
      'Each task is played among so many of the words in play, drawn for it alone, held-out tasks among words that no training task has; 0 plays every task among all of them.',
    unit: 'words',
    step: 10,
  }),
  tries: option(whole(1, 12), 6, {
    label: 'Tries',
    sentence: 'How many guesses an episode has.',
    level: 'basic',
  }),
  observation: option(oneOf(['full', 'compact', 'keyboard']), 'full', {
    label: 'Observation',
    sentence:
      'How the world speaks: a color for each letter; for tiny policies, a fact for each letter, or facts and all keys that are gray by now.',
    level: 'basic',
    choiceLabels: { full: 'Full', compact: 'Compact', keyboard: 'Keyboard' },
  }),
  spelled: option(yesOrNo(), false, {
    label: 'Spell guesses',
    sentence: 'Offer words with spaces between their letters, so that a policy writes them letter by letter.',
  }),
  partial: option(yesOrNo(), false, {
    label: 'Score for closeness',
    sentence:
      'A lost episode earns a tenth for each letter in its place in its best guess; only the word itself is a success.',
  }),
  hints: option(yesOrNo(), false, {
    label: 'Score for using hints',
    sentence:
      'Guess by guess an episode earns up to a half for guesses that could be the word by all colors before them; only the word itself is a success.',
  }),
  showWords: option(yesOrNo(), false, {
    label: 'Show the words',
    sentence: 'The first text lists all words in play, for language models that cannot know them.',
  }),
  upstream: option(yesOrNo(), false, {
    label: 'Original rules',
    sentence:
      "The original's game, in which no word is hidden and one is drawn anew at each guess, to compare with published results; of the other options only “Spell guesses” and “Show the words” apply.",
  }),
});

export type WordleOptions = v.InferOutput<typeof schema>;

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseWordleOptions = optionsReader('Wordle', schema);
