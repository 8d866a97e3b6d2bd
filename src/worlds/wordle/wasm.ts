/**
 * Wordle's WASM instance as typed calls, with the numeric encoding of envs-wasm/wordle/index.ts. Independent of tasks
 * and splits.
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

/** Forms of observations, in the order of envs-wasm/wordle/episodes.ts. */
const observationForms = ['full', 'compact', 'keyboard'] as const;
type ObservationForm = (typeof observationForms)[number];

/** Start of a game: the original's from a seed of any size (the sign is ignored), or one with a given hidden word. */
export type Start =
  | { seed: bigint }
  | {
      list: number;
      /** Number of words in play; 0 means all. */
      words: number;
      /** The words drawn for this game, as indices into the words in play. If absent, all words in play are used. */
      drawn?: readonly number[];
      /** Index of the hidden word in `drawn`, or in the words in play if nothing is drawn. */
      hidden: number;
      tries: number;
      observation: ObservationForm;
      /** Seed of the oracle, 0 to 65,535, which draws a word that may be hidden. If absent, it guesses what leaves the fewest. */
      draws?: number;
    };

export interface Answer {
  text: string;
  accepted: boolean;
  done: boolean;
  won: boolean;
  /** Letters at their correct position in the best guess so far, 0 to 5. */
  places: number;
  /**
   * Number of guesses so far that were consistent with the colours of all earlier guesses; the first guess is not
   * counted.
   */
  possible: number;
}

const Style = { upstream: 1, writingShift: 1, draws: 8, triesShift: 8, seedShift: 16 } as const;
const Flag = { accepted: 1, done: 2, won: 4, placesShift: 8, possibleShift: 16 } as const;

/** Typed calls into the instance; create it with `WordleWasm.open()`. */
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

  /** Remaining guesses of a player that does not know the hidden word, or null if they would not win. */
  oracle(slots: readonly number[], spelled: readonly boolean[]): (string[] | null)[] {
    this.batch.checkWorlds(slots);
    this.batch.begin(slots);
    this.batch.wasm.oracle(slots.length);
    return this.batch.answers(slots.length, (text, found, b) =>
      found ? linesOf(text).map((word) => (spelled[b] ? spell(word) : word)) : null,
    );
  }

  /** Words in play, in the list's order. */
  words(list: number, size: number): string[] {
    this.batch.wasm.writeWords(list, size);
    return linesOf(this.batch.output());
  }

  /** Words that are still possible in the original's game, in the list's order. */
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

  /** Size of the linear memory, which never shrinks: enough for the largest use so far. */
  memoryBytes(): number {
    return this.batch.memoryBytes();
  }
}

/** Spells a word letter by letter: `panic` becomes `p a n i c`. */
export const spell = (word: string): string => [...word].join(' ');

const linesOf = (text: string) => text.split('\n').slice(0, -1);

function numbersOf(start: Start): number[] {
  if ('seed' in start) return [Style.upstream, 0, 0, 0];
  const { list, words, hidden, tries, observation, draws } = start;
  const oracle = draws === undefined ? 0 : Style.draws | (draws << Style.seedShift);
  return [
    (observationForms.indexOf(observation) << Style.writingShift) | (tries << Style.triesShift) | oracle,
    list,
    words,
    hidden,
  ];
}

const inputOf = (start: Start): Uint8Array => ('seed' in start ? seedBytes(start.seed) : drawnBytes(start.drawn ?? []));

/** Encodes the drawn words with two bytes each. */
function drawnBytes(drawn: readonly number[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(2 * drawn.length));
  for (const [k, number] of drawn.entries()) bytes.setUint16(2 * k, number, true);
  return new Uint8Array(bytes.buffer);
}

/** Encodes the seed's absolute value as 32-bit words, least significant first, as Python's generator is seeded. */
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
