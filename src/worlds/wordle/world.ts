/**
 * Wordle in this process: the World contract over one WASM instance. The rules are in envs-wasm/wordle; here are only tasks,
 * options and words about them.
 */
import {
  type Feedback,
  type Json,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
} from '../../envs/env.ts';
import { wordleDescription } from './description.ts';
import { parseWordleOptions, type WordleOptions, wordLists } from './options.ts';
import { drawnIds, drawWords, inSplit, upstreamSeeds } from './split.ts';
import { parseView, type WordleView } from './view-data.ts';
import { type Answer, type Start, spell, WordleWasm } from './wasm.ts';

/** What each letter in its place earns in the best guess of a lost episode. */
const PLACE_REWARD = 0.1;
/** What a lost episode earns whose guesses could all have been the word. */
const HINTS_REWARD = 0.5;

/** Lists of drawn words remembered: a group's episodes play the same task. */
const MOST_LISTS = 512;

interface WordList {
  plain: readonly string[];
  spelled: readonly string[];
}

/** What a task is played with. */
interface Game {
  start: Start;
  words: WordList;
}

/** Use `Wordle.open()`. */
export class Wordle implements World {
  private readonly lists = new Map<string, WordList>();
  private readonly drawnGames = new Map<string, Game>();
  private readonly episodes = new Map<number, WordleOptions>();

  private constructor(private readonly wasm: WordleWasm) {}

  static async open(): Promise<Wordle> {
    return new Wordle(await WordleWasm.open());
  }

  describe(): WorldDescription {
    return wordleDescription;
  }

  /**
   * Each word of the list in play is the hidden one once, in training or held out; tasks with words of their own are seeds, and so are the
   * original's items.
   */
  async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    const filled = parseWordleOptions(options);
    const task = (id: number): Task => ({ world: 'wordle', id, options: filled, strata: {} });
    const ids = filled.upstream ? upstreamSeeds : drawnIds;
    if (filled.upstream || filled.drawn > 0) {
      if (!filled.upstream) this.pool(filled, split);
      return Array.from({ length: ids[split].count }, (_, k) => task(ids[split].first + k));
    }
    return this.list(filled).plain.flatMap((word, id) => (inSplit(word, split) ? [task(id)] : []));
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    const options = tasks.map((task) => parseWordleOptions(task.options));
    const games = tasks.map((task, k) => this.gameOf(task, options[k]));
    const answers = this.wasm.reset(
      slots,
      games.map(({ start }) => start),
    );
    return answers.map(({ text }, k) => {
      this.episodes.set(slots[k], options[k]);
      const { plain, spelled } = games[k].words;
      const observation = options[k].showWords ? `${text}\n${plain.join('\n')}` : text;
      const validActions = (options[k].spelled ? spelled : plain) as string[];
      return { observation, reward: 0, done: false, valid: true, validActions };
    });
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    const answers = this.wasm.step(slots, actions);
    return answers.map((answer, k) => ({
      observation: answer.text,
      reward: rewardOf(answer, this.episodes.get(slots[k])!),
      done: answer.done,
      valid: answer.accepted,
      validActions: null,
    }));
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    const spelled = slots.map((slot) => this.episodes.get(slot)?.spelled ?? false);
    return this.wasm.oracle(slots, spelled);
  }

  async oracleIsListed(slots: readonly number[]): Promise<(boolean | null)[]> {
    return (await this.oracle(slots)).map((plan) => plan && true);
  }

  async view(slot: number): Promise<WordleView> {
    return parseView(this.wasm.view(slot));
  }

  async close(): Promise<void> {
    this.episodes.clear();
    this.lists.clear();
    this.drawnGames.clear();
  }

  /** Linear memory in use: what its largest moment needed. */
  memoryBytes(): number {
    return this.wasm.memoryBytes();
  }

  /** `possible words`: those that the guesses leave, in the original's game. */
  async inspect(slot: number, what: string): Promise<Json> {
    if (what !== 'possible words') throw new WorldError(`Wordle knows nothing of "${what}": ask for possible words.`);
    return this.wasm.filtered(slot);
  }

  private gameOf({ id, strata }: Task, options: WordleOptions): Game {
    // A seed beyond what a number holds stands there as a text.
    if (options.upstream && typeof strata.seed === 'string')
      return { start: { seed: BigInt(strata.seed) }, words: this.list(options) };
    if (!Number.isSafeInteger(id)) throw new WorldError(`An item of Wordle is a whole number (it is ${id}).`);
    if (options.upstream) return { start: { seed: BigInt(id) }, words: this.list(options) };
    if (options.drawn > 0) return this.drawnGame(id, options);
    const words = this.list(options);
    const { length } = words.plain;
    if (id < 0 || id >= length)
      throw new WorldError(`This list has the words 0 to ${length - 1} (it is ${id}): ${options.list}.`);
    return { start: startWith(options, id), words };
  }

  /** A game among the words that its id draws. */
  private drawnGame(id: number, options: WordleOptions): Game {
    const key = JSON.stringify([id, options]);
    const known = this.drawnGames.get(key);
    if (known) return known;
    const { drawn, hidden } = drawWords(this.pool(options, splitOf(id)), options.drawn, id);
    const { plain } = this.list(options);
    const game = { start: startWith(options, hidden, drawn), words: wordList(drawn.map((number) => plain[number])) };
    if (this.drawnGames.size >= MOST_LISTS) this.drawnGames.clear();
    this.drawnGames.set(key, game);
    return game;
  }

  /** What a task of a split may draw: numbers of words in play. */
  private pool(options: WordleOptions, split: Split): number[] {
    const { plain } = this.list(options);
    const pool = [...plain.keys()].filter((number) => inSplit(plain[number], split));
    if (pool.length < options.drawn)
      throw new WorldError(
        `${options.drawn} words cannot be drawn of the ${pool.length} ${split === 'test' ? 'held-out' : 'training'} words in play: ` +
          'draw fewer, or choose a longer list.',
      );
    return pool;
  }

  /** Every episode of a list is handed the same arrays. */
  private list({ upstream, list, words: size }: WordleOptions): WordList {
    const [name, count] = upstream ? (['original', 0] as const) : [list, size];
    const key = `${name} ${count}`;
    const known = this.lists.get(key) ?? wordList(this.wasm.words(wordLists.indexOf(name), count));
    this.lists.set(key, known);
    return known;
  }
}

const wordList = (words: string[]): WordList => ({
  plain: Object.freeze(words),
  spelled: Object.freeze(words.map(spell)),
});

function startWith(options: WordleOptions, hidden: number, drawn?: readonly number[]): Start {
  const { list, words, tries, observation } = options;
  return { list: wordLists.indexOf(list), words, drawn, hidden, tries, observation };
}

/** Of a task that draws its words. */
function splitOf(id: number): Split {
  const { test, train } = drawnIds;
  if (id < 0 || id >= train.first + train.count)
    throw new WorldError(`Tasks that draw their words are 0 to ${train.first + train.count - 1} (it is ${id}).`);
  return id < test.first + test.count ? 'test' : 'train';
}

/** The score so far, counted up; a success is 1 whatever was earned before. */
function rewardOf({ won, done, places, possible }: Answer, { upstream, partial, hints, tries }: WordleOptions): number {
  if (won) return 1;
  if (upstream) return 0;
  const close = done && partial ? PLACE_REWARD * places : 0;
  // The first guess knows nothing.
  return close + (hints ? (HINTS_REWARD * possible) / Math.max(1, tries - 1) : 0);
}
