/**
 * Wordle's WASM instance as typed calls. Knows the numbers of envs-wasm/wordle/index.ts and nothing of tasks or splits.
 */
import { type BatchExports, TextBatch } from '../../envs/transport/text-batch.ts';

interface Exports extends BatchExports {
  reset(count: number): void;
  step(count: number): void;
  oracle(count: number): void;
  writeWords(list: number, size: number): void;
  writeFiltered(slot: number): void;
  writeView(slot: number): void;
}

/** How answers are written, in the order of envs-wasm/wordle/episodes.ts. */
export const writings = ['full', 'compact', 'keyboard'] as const;
export type Writing = (typeof writings)[number];

/** One game to begin: the original's from a seed of any size (its sign does not count), or one with a hidden word. */
export type Start =
  | { seed: bigint }
  | {
      list: number;
      /** Words in play; 0: all. */
      words: number;
      /** The words drawn for this game alone, as numbers of words in play; none: all in play are its own. */
      drawn?: readonly number[];
      /** Which word is hidden: of those drawn, or of those in play. */
      hidden: number;
      tries: number;
      observation: Writing;
    };

export interface Answer {
  text: string;
  accepted: boolean;
  done: boolean;
  won: boolean;
  /** Letters in their place in the best guess so far, 0 to 5. */
  places: number;
  /** Guesses so far that could be the word by all colours before them, the first guess left out. */
  possible: number;
}

const Style = { upstream: 1, writingShift: 1, triesShift: 8 } as const;
const Flag = { accepted: 1, done: 2, won: 4, placesShift: 8, possibleShift: 16 } as const;

/** Use `WordleWasm.open()`. */
export class WordleWasm {
  private constructor(private readonly batch: TextBatch<Exports>) {}

  static async open(): Promise<WordleWasm> {
    return new WordleWasm(await TextBatch.open('wordle'));
  }

  reset(slots: readonly number[], starts: readonly Start[]): Answer[] {
    this.batch.reset(slots, starts.map(numbersOf), starts.map(inputOf));
    this.batch.wasm.reset(slots.length);
    return this.batch.answers(slots.length, readAnswer);
  }

  step(slots: readonly number[], actions: readonly string[]): Answer[] {
    this.batch.texts(slots, actions);
    this.batch.wasm.step(slots.length);
    return this.batch.answers(slots.length, readAnswer);
  }

  /** The honest player's guesses from here on, or null where it would not win. */
  oracle(slots: readonly number[], spelled: readonly boolean[]): (string[] | null)[] {
    this.batch.checkWorlds(slots);
    this.batch.begin(slots);
    this.batch.wasm.oracle(slots.length);
    return this.batch.answers(slots.length, (text, found, b) =>
      found ? linesOf(text).map((word) => (spelled[b] ? spell(word) : word)) : null,
    );
  }

  /** The words in play, in the list's order. */
  words(list: number, size: number): string[] {
    this.batch.wasm.writeWords(list, size);
    return linesOf(this.batch.output());
  }

  /** The words still possible in the original's game, in the list's order. */
  filtered(slot: number): string[] {
    this.batch.checkWorlds([slot]);
    this.batch.wasm.writeFiltered(slot);
    return linesOf(this.batch.output());
  }

  view(slot: number): string {
    this.batch.checkWorlds([slot]);
    this.batch.wasm.writeView(slot);
    return this.batch.output();
  }

  /** Linear memory in use: what its largest moment needed. */
  memoryBytes(): number {
    return this.batch.memoryBytes();
  }
}

/** `panic` as `p a n i c`. */
export const spell = (word: string): string => [...word].join(' ');

const linesOf = (text: string) => text.split('\n').slice(0, -1);

function numbersOf(start: Start): number[] {
  if ('seed' in start) return [Style.upstream, 0, 0, 0];
  const { list, words, hidden, tries, observation } = start;
  return [(writings.indexOf(observation) << Style.writingShift) | (tries << Style.triesShift), list, words, hidden];
}

const inputOf = (start: Start): Uint8Array => ('seed' in start ? seedBytes(start.seed) : drawnBytes(start.drawn ?? []));

/** Two bytes each. */
function drawnBytes(drawn: readonly number[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(2 * drawn.length));
  for (const [k, number] of drawn.entries()) bytes.setUint16(2 * k, number, true);
  return new Uint8Array(bytes.buffer);
}

/** The seed's absolute value as words of 32 bits, least first: what Python seeds with. */
function seedBytes(seed: bigint): Uint8Array {
  const words: number[] = [];
  for (let rest = seed < 0n ? -seed : seed; rest > 0n; rest >>= 32n) words.push(Number(rest & 0xffffffffn));
  const bytes = new DataView(new ArrayBuffer(4 * Math.max(1, words.length)));
  for (const [k, word] of words.entries()) bytes.setUint32(4 * k, word, true);
  return new Uint8Array(bytes.buffer);
}

const readAnswer = (text: string, flags: number): Answer => ({
  text,
  accepted: (flags & Flag.accepted) !== 0,
  done: (flags & Flag.done) !== 0,
  won: (flags & Flag.won) !== 0,
  places: (flags >> Flag.placesShift) & 7,
  possible: flags >> Flag.possibleShift,
});
