/** The data that a view of Wordle draws, and its description as text. Independent of WASM. */
import type { WorldView } from '../../envs/env.ts';

/** State of a letter: not in the word, elsewhere in the word, or at this position. */
export type Colour = 'absent' | 'elsewhere' | 'here';

export interface WordleView extends WorldView {
  kind: 'wordle';
  tries: number;
  /**
   * One entry per try. A guess that is not a word has an empty word and no colours; in the original's game it costs a
   * try.
   */
  guesses: { word: string; colours: Colour[] }[];
  /** Best known state of each guessed letter. */
  keyboard: { [letter: string]: Colour };
  state: 'playing' | 'won' | 'lost';
  /** The hidden word once the game is lost, or null if there is none. */
  answer: string | null;
}

const colourOf: readonly Colour[] = ['absent', 'elsewhere', 'here'];
const states = ['playing', 'lost', 'won'] as const;
const LETTERS = 5;

/** Parses the lines of `writeView` (envs-wasm/wordle/index.ts). */
export function parseView(text: string): WordleView {
  const [tries, ended, hidden, ...lines] = text.split('\n');
  const guesses = lines.map((line) => ({
    word: line.slice(LETTERS),
    colours: line.length > LETTERS ? Array.from(line.slice(0, LETTERS), (digit) => colourOf[Number(digit)]) : [],
  }));
  const state = states[Number(ended)];
  const answer = state === 'lost' && hidden ? hidden : null;
  const view = { tries: Number(tries), guesses, keyboard: keyboardOf(guesses), state, answer };
  return { kind: 'wordle', text: describe(view), ...view };
}

function keyboardOf(guesses: WordleView['guesses']): WordleView['keyboard'] {
  const keyboard: WordleView['keyboard'] = {};
  for (const { word, colours } of guesses)
    for (const [i, colour] of colours.entries()) {
      const known = keyboard[word[i]];
      if (!known || colourOf.indexOf(colour) > colourOf.indexOf(known)) keyboard[word[i]] = colour;
    }
  return keyboard;
}

/** Description of a guess: `crane: c absent, r elsewhere, a here, n absent, e absent`. */
function describeGuess({ word, colours }: WordleView['guesses'][number]): string {
  return word ? `${word}: ${colours.map((colour, i) => `${word[i]} ${colour}`).join(', ')}` : 'not a word';
}

function describe({ tries, guesses, state, answer }: Omit<WordleView, 'kind' | 'text'>): string {
  const sentences = guesses.map((guess, k) => `Guess ${k + 1}, ${describeGuess(guess)}.`);
  const end = {
    playing: '',
    won: ' The word is found.',
    lost: answer ? ` The word was ${answer}.` : ' No try is left.',
  };
  return `${[`Wordle, ${guesses.length} of ${tries} tries used.`, ...sentences].join(' ')}${end[state]}`;
}
