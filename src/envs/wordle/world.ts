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
} from '../env.ts';
import { wordle } from './index.ts';
import { parseWordleOptions, type WordleOptions, wordLists } from './options.ts';
import { isHeldOut, upstreamSeeds } from './split.ts';
import { parseView, type WordleView } from './view.ts';
import { type Answer, type Start, spell, WordleWasm } from './wasm.ts';

/** What each letter in its place earns in the best guess of a lost episode. */
const PLACE_REWARD = 0.1;

interface WordList {
  words: readonly string[];
  plain: readonly string[];
  spelled: readonly string[];
}

/** Use `Wordle.open()`. */
export class Wordle implements World {
  private readonly lists = new Map<string, WordList>();
  private readonly episodes = new Map<number, WordleOptions>();

  private constructor(private readonly wasm: WordleWasm) {}

  static async open(): Promise<Wordle> {
    return new Wordle(await WordleWasm.open());
  }

  describe(): WorldDescription {
    return wordle;
  }

  /** Each word of the list in play is the hidden one once, in training or held out. The original's items are seeds. */
  async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    const filled = parseWordleOptions(options);
    const task = (id: number): Task => ({ world: 'wordle', id, options: filled, strata: {} });
    if (filled.upstream) {
      const { first, count } = upstreamSeeds[split];
      return Array.from({ length: count }, (_, k) => task(first + k));
    }
    return this.list(filled).words.flatMap((word, id) => (isHeldOut(word) === (split === 'test') ? [task(id)] : []));
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    const options = tasks.map((task) => parseWordleOptions(task.options));
    const answers = this.wasm.reset(
      slots,
      tasks.map((task, k) => this.startOf(task, options[k])),
    );
    return answers.map(({ text }, k) => {
      this.episodes.set(slots[k], options[k]);
      const { words, plain, spelled } = this.list(options[k]);
      const observation = options[k].showWords ? `${text}\n${words.join('\n')}` : text;
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

  private startOf({ id, strata }: Task, options: WordleOptions): Start {
    // A seed beyond what a number holds stands there as a text.
    if (options.upstream && typeof strata.seed === 'string') return { seed: BigInt(strata.seed) };
    if (!Number.isSafeInteger(id)) throw new WorldError(`An item of Wordle is a whole number (it is ${id}).`);
    if (options.upstream) return { seed: BigInt(id) };
    const { length } = this.list(options).words;
    if (id < 0 || id >= length)
      throw new WorldError(`This list has the words 0 to ${length - 1} (it is ${id}): ${options.list}.`);
    const { list, words, tries, observation } = options;
    return { list: wordLists.indexOf(list), words, hidden: id, tries, compact: observation === 'compact' };
  }

  /** Every episode of a list is handed the same arrays. */
  private list({ upstream, list, words: size }: WordleOptions): WordList {
    const [name, count] = upstream ? (['original', 0] as const) : [list, size];
    const key = `${name} ${count}`;
    let known = this.lists.get(key);
    if (!known) {
      const words = this.wasm.words(wordLists.indexOf(name), count);
      known = { words, plain: Object.freeze(words), spelled: Object.freeze(words.map(spell)) };
      this.lists.set(key, known);
    }
    return known;
  }
}

function rewardOf({ won, done, places }: Answer, { partial, upstream }: WordleOptions): number {
  if (won) return 1;
  return done && partial && !upstream ? PLACE_REWARD * places : 0;
}
