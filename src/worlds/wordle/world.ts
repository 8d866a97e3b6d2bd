/**
 * Client of Wordle: the World interface over one WASM instance in this process. The rules are in envs-wasm/wordle; this
 * file handles tasks, options, rewards and their error messages.
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

/** Partial reward of a lost episode for each letter at its correct position in the best guess. */
const PLACE_REWARD = 0.1;
/** Partial reward of a lost episode in which every guess was consistent with the colours before it. */
const HINTS_REWARD = 0.5;

/** Maximum number of cached word lists. A cache helps because all episodes of a group play the same task. */
const MAX_CACHED_GAMES = 512;

interface WordList {
  plain: readonly string[];
  spelled: readonly string[];
}

/** Start of a game and its word list. */
interface Game {
  start: Start;
  words: WordList;
}

/** The world Wordle; create it with `Wordle.open()`. */
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
   * Tasks of a split. By default every word of the list is the hidden word of one task, in training or held out. For
   * tasks that draw their own list, and for the original's game, the ids are seeds.
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

  /** Size of the linear memory, which never shrinks: enough for the largest use so far. */
  memoryBytes(): number {
    return this.wasm.memoryBytes();
  }

  /** For `possible words`: the words that are consistent with all guesses in the original's game. */
  async inspect(slot: number, what: string): Promise<Json> {
    if (what !== 'possible words') throw new WorldError(`Wordle cannot inspect "${what}": only "possible words".`);
    return this.wasm.filtered(slot);
  }

  private gameOf({ id, strata }: Task, options: WordleOptions): Game {
    // A seed beyond JavaScript's safe integers is stored as a string.
    if (options.upstream && typeof strata.seed === 'string')
      return { start: { seed: BigInt(strata.seed) }, words: this.list(options) };
    if (!Number.isSafeInteger(id)) throw new WorldError(`An item of Wordle must be a whole number (it is ${id}).`);
    if (options.upstream) return { start: { seed: BigInt(id) }, words: this.list(options) };
    if (options.drawn > 0) return this.drawnGame(id, options);
    const words = this.list(options);
    const { length } = words.plain;
    if (id < 0 || id >= length)
      throw new WorldError(
        `A word of the list ${options.list} must be a number from 0 to ${length - 1} (it is ${id}).`,
      );
    return { start: startWith(options, id), words };
  }

  /** Game whose word list is drawn by the task's id. */
  private drawnGame(id: number, options: WordleOptions): Game {
    const key = JSON.stringify([id, options]);
    const known = this.drawnGames.get(key);
    if (known) return known;
    const { drawn, hidden } = drawWords(this.pool(options, splitOf(id)), options.drawn, id);
    const { plain } = this.list(options);
    const game = { start: startWith(options, hidden, drawn), words: wordList(drawn.map((number) => plain[number])) };
    if (this.drawnGames.size >= MAX_CACHED_GAMES) this.drawnGames.clear();
    this.drawnGames.set(key, game);
    return game;
  }

  /** Words that tasks of a split may draw, as indices into the words in play. */
  private pool(options: WordleOptions, split: Split): number[] {
    const { plain } = this.list(options);
    const pool = [...plain.keys()].filter((number) => inSplit(plain[number], split));
    if (pool.length < options.drawn)
      throw new WorldError(
        `${options.drawn} words cannot be drawn from the ${pool.length} ${split === 'test' ? 'held-out' : 'training'} words in play: ` +
          'draw fewer, or choose a longer list.',
      );
    return pool;
  }

  /** Word list of the options. All episodes with the same list share the same arrays. */
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
  const { list, words, tries, observation, oracle, oracleSeed } = options;
  const draws = oracle === 'any' ? oracleSeed : undefined;
  return { list: wordLists.indexOf(list), words, drawn, hidden, tries, observation, draws };
}

/** Split of a task that draws its own word list. */
function splitOf(id: number): Split {
  const { test, train } = drawnIds;
  if (id < 0 || id >= train.first + train.count)
    throw new WorldError(`Tasks that draw their words have ids 0 to ${train.first + train.count - 1} (it is ${id}).`);
  return id < test.first + test.count ? 'test' : 'train';
}

/** Score of the episode so far. A success is worth 1, whatever was earned before. */
function rewardOf({ won, done, places, possible }: Answer, { upstream, partial, hints, tries }: WordleOptions): number {
  if (won) return 1;
  if (upstream) return 0;
  const close = done && partial ? PLACE_REWARD * places : 0;
  // The first guess has no colours to be consistent with, so it is not counted.
  return close + (hints ? (HINTS_REWARD * possible) / Math.max(1, tries - 1) : 0);
}
