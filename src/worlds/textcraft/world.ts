/**
 * TextCraft in this process: the World contract over one WASM instance. It packs a batch into linear memory, makes one
 * call, and unpacks the answers. The rules are in envs-wasm/textcraft; this file has the tasks, the options and the
 * view.
 */
import {
  type Advice,
  type Feedback,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
} from '../../envs/env.ts';
import { loadWasm } from '../../envs/transport/wasm.ts';
import { textcraftDescription } from './description.ts';
import {
  ListWorld,
  madeUpList,
  type PartOfList,
  partsOfMadeUp,
  partsOfOwn,
  type Vocabulary,
  withOtherGoal,
} from './made-up.ts';
import { itemWords, NameExchange, renamed } from './name-exchange.ts';
import { parseTextCraftOptions, type TextCraftOptions } from './options.ts';
import { isKind } from './oracle.ts';
import { itemNames, readRecipeList, writeRecipeList } from './recipe-list.ts';
import { SlotOracles } from './slot-oracles.ts';
import { splitIds } from './split.ts';
import type { TextCraftView } from './view-data.ts';
import { parseView } from './view-parser.ts';

const MAX_SLOTS = 1 << 20;
const MAX_CACHED_TASKS = 4096;

/**
 * Item ids of a split. With `apart` goals kept apart, those training goals (evenly spread) form the test split;
 * otherwise the split is the official one.
 */
function idsOf({ apart }: TextCraftOptions, split: Split): number[] {
  if (apart === 0) return splitIds(split);
  const ids = splitIds('train');
  const kept = new Set(Array.from({ length: apart }, (_, k) => ids[Math.floor(((k + 0.5) * ids.length) / apart)]));
  return ids.filter((id) => kept.has(id) === (split === 'test'));
}

/** One set of options for each list seed and naming of the split. */
function variantsOf(options: TextCraftOptions, split: Split): TextCraftOptions[] {
  const lists = split === 'train' ? options.listSeeds : 1;
  const namings = split === 'train' && options.namings > 0 ? options.namings : 0;
  return Array.from({ length: Math.max(1, namings) }, (_, k) => (namings ? k + 1 : options.naming)).flatMap((naming) =>
    Array.from({ length: lists }, (_, i) => {
      const listSeed = (options.listSeed + i) >>> 0;
      return parseTextCraftOptions({ ...options, listSeed, listSeeds: 1, naming, namings: 0 });
    }),
  );
}

interface Exports {
  memory: WebAssembly.Memory;
  ensureWorlds(count: number): void;
  hasWorld(slot: number): number;
  ensureBatch(count: number): void;
  columns(): number;
  batchCapacity(): number;
  inputBuffer(bytes: number): number;
  outputPointer(): number;
  outputLength(): number;
  goalCount(): number;
  goalDepth(id: number): number;
  reset(count: number): void;
  writeTask(id: number, distractors: number, seed: number): void;
  step(count: number): void;
  oracle(count: number): void;
  writeView(slot: number): void;
}

/** Columns of a batch, four bytes a row, in the order of index.ts. */
const Column = { slot: 0, id: 1, distractors: 2, seed: 3, inputLength: 4, outputLength: 5, flags: 6 } as const;
const ACCEPTED = 1;
const WON = 2;
const LISTED_PLAN = 1;

type Named = Pick<TextCraftOptions, 'naming' | 'keepKinds' | 'wholeNames'>;

/** The recipes of a goal alone, with their own names. */
const plainList = { distractors: 0, listSeed: 0, naming: 0, keepKinds: false, wholeNames: false };

interface TaskText {
  observation: string;
  validActions: string[];
}

/** Tasks on generated lists, with fixed seeds until a draw replaces them; evaluations have separate seeds. */
function madeUpTasks(options: TextCraftOptions, split: Split): Task[] {
  const first = split === 'train' ? 0 : 0x4000_0000;
  return Array.from({ length: 64 }, (_, k) => ({
    world: 'textcraft',
    id: 0,
    options: { ...options, listSeed: first + k },
    strata: { depth: 0 },
  }));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function abort(_message: number, _file: number, line: number, column: number): never {
  throw new WebAssembly.RuntimeError(`textcraft.wasm aborted at ${line}:${column}`);
}

/** World contract over one instance. Create one with `TextCraft.open()`. */
export class TextCraft implements World {
  private columns = new Int32Array(0);
  private capacity = 0;
  private bytes = new Uint8Array(0);
  private readonly texts = new Map<string, TaskText>();
  private readonly namings = new Map<number, NameExchange>();
  private words: string[] | null = null;
  private names: string[] | null = null;
  /** Namings by slot; slots with the world's own names are absent. */
  private readonly exchanges = new Map<number, NameExchange>();
  /** Episodes by slot that are played on a list the world does not have. */
  private readonly lists = new Map<number, ListWorld>();
  private readonly oracles = new SlotOracles();
  /** Held-out goals by the number of goals kept apart. */
  private readonly heldOut = new Map<number, ReadonlySet<string>>();

  private constructor(private readonly wasm: Exports) {}

  static async open(): Promise<TextCraft> {
    const instance = await WebAssembly.instantiate(await loadWasm('textcraft'), { env: { abort } });
    return new TextCraft(instance.exports as unknown as Exports);
  }

  describe(): WorldDescription {
    return textcraftDescription;
  }

  async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    const filled = parseTextCraftOptions(options);
    if (filled.madeUp) return madeUpTasks(filled, split);
    const goals = idsOf(filled, split)
      .map((id) => ({ id, depth: this.wasm.goalDepth(id) }))
      .filter(({ depth }) => filled.depths.includes(depth));
    // Grouped by list, so that the first tasks contain every goal once, with the first list.
    return variantsOf(filled, split).flatMap((options) =>
      goals.map(({ id, depth }) => ({ world: 'textcraft', id, options, strata: { depth } })),
    );
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    checkLengths('reset', slots, tasks);
    for (const slot of slots) checkSlot(slot);
    const options = tasks.map((task) => parseTextCraftOptions(task.options));
    const answers = tasks.map((task, b) => this.start(slots[b], task.id, options[b]));
    this.wasm.ensureWorlds(Math.max(-1, ...slots) + 1);
    this.beginBatch(slots);
    const { columns, capacity } = this;
    for (let b = 0; b < tasks.length; b++) {
      const { distractors, listSeed, madeUp } = options[b];
      columns[Column.id * capacity + b] = madeUp ? 0 : tasks[b].id;
      columns[Column.distractors * capacity + b] = distractors;
      columns[Column.seed * capacity + b] = listSeed;
      this.name(slots[b], options[b]);
    }
    this.wasm.reset(slots.length);
    for (const [b, slot] of slots.entries()) this.oracles.begin(slot, answers[b].observation);
    return answers;
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    checkLengths('step', slots, actions);
    this.checkWorlds(slots);
    const own = slots.flatMap((slot, b) => (this.lists.has(slot) ? [] : [b]));
    const answers = this.stepOwn(
      own.map((b) => slots[b]),
      own.map((b) => actions[b]),
    );
    const feedback = slots.map((slot, b) => this.lists.get(slot)?.step(actions[b]) ?? answers.shift()!);
    for (const [b, slot] of slots.entries()) this.oracles.record(slot, actions[b], feedback[b].valid);
    return feedback;
  }

  private stepOwn(slots: readonly number[], actions: readonly string[]): Feedback[] {
    if (slots.length === 0) return [];
    this.beginBatch(slots);
    this.writeActions(
      this.exchanges.size ? actions.map((text, b) => this.exchanges.get(slots[b])?.toOriginal(text) ?? text) : actions,
    );
    this.wasm.step(slots.length);
    return this.readTexts(slots.length, (observation, flags, b) => ({
      observation: this.exchanges.get(slots[b])?.toShown(observation) ?? observation,
      reward: flags & WON ? 1 : 0,
      done: (flags & WON) !== 0,
      valid: (flags & ACCEPTED) !== 0,
      validActions: null,
    }));
  }

  async advise(slots: readonly number[]): Promise<(Advice | null)[]> {
    this.checkWorlds(slots);
    return slots.map((slot) => this.oracles.next(slot));
  }

  /** Remaining actions of the oracle. For a generated list they are planned here, not in the WASM instance. */
  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    const plans = this.plans(slots, (text, flags, b) => {
      const shown = this.exchanges.get(slots[b])?.toShown(text) ?? text;
      return flags === 0 ? null : shown.split('\n').slice(0, -1);
    });
    return plans.map((plan, b) => {
      const list = this.lists.get(slots[b]);
      return list ? this.oracles.plan(slots[b], list.list) : plan;
    });
  }

  /**
   * True if all remaining actions of the oracle are valid actions, so that constrained decoding can produce them; null
   * without an oracle.
   */
  async oracleIsListed(slots: readonly number[]): Promise<(boolean | null)[]> {
    return this.plans(slots, (_text, flags) => (flags === 0 ? null : flags === LISTED_PLAN));
  }

  /** Things to be crafted on the way to the goal, as goals of the same list. */
  async subgoals(tasks: readonly Task[]): Promise<Task[][]> {
    return tasks.map((task) => {
      const options = parseTextCraftOptions(task.options);
      return this.partsOf(task.id, options).map(({ asked, depth }) => ({
        ...task,
        options: { ...options, asked },
        strata: { ...task.strata, depth },
      }));
    });
  }

  private partsOf(id: number, options: TextCraftOptions): PartOfList[] {
    const { madeUp, asked, listSeed, apart, wholeNames } = options;
    if (madeUp) return partsOfMadeUp(this.vocabulary(wholeNames), listSeed, asked);
    const own = readRecipeList(this.taskText(id, { ...options, naming: 0 }).observation);
    const heldOut = this.heldOutGoals(apart);
    return own ? partsOfOwn(own, listSeed, asked, (name) => !heldOut.has(name)) : [];
  }

  async view(slot: number): Promise<TextCraftView> {
    this.checkWorlds([slot]);
    this.wasm.writeView(slot);
    const view = parseView(this.output());
    return this.exchanges.get(slot)?.view(view) ?? view;
  }

  async close(): Promise<void> {
    this.texts.clear();
  }

  /** Size of the linear memory in bytes; it never shrinks. */
  memoryBytes(): number {
    return this.wasm.memory.buffer.byteLength;
  }

  private plans<T>(slots: readonly number[], read: (text: string, flags: number, b: number) => T): T[] {
    this.checkWorlds(slots);
    this.beginBatch(slots);
    this.wasm.oracle(slots.length);
    return this.readTexts(slots.length, read);
  }

  private checkWorlds(slots: readonly number[]): void {
    for (const slot of slots)
      if (!this.wasm.hasWorld(slot)) throw new WorldError(`World ${slot} has not begun: reset it with a task first.`);
  }

  /** First observation of a task, cached because it depends on the task alone. */
  private start(slot: number, id: number, options: TextCraftOptions): Feedback {
    if (!Number.isInteger(id) || id < 0 || id > 0x7fffffff)
      throw new WorldError(`TextCraft's item ids must be whole numbers, 0 or more, not ${id}.`);
    const list = this.otherList(id, options);
    if (list) {
      this.lists.set(slot, list);
      return list.begin();
    }
    this.lists.delete(slot);
    const { observation, validActions } = this.taskText(id, options);
    return { observation, reward: 0, done: false, valid: true, validActions };
  }

  /** Episode on a list that the world does not have; null if the world itself plays the task. */
  private otherList(id: number, options: TextCraftOptions): ListWorld | null {
    const { madeUp, asked, listSeed, apart, wholeNames, naming } = options;
    if (madeUp) return new ListWorld(madeUpList(this.vocabulary(wholeNames), listSeed, asked));
    const exchanged = wholeNames && naming > 0;
    if (asked === 0 && !exchanged) return null;
    const own = readRecipeList(this.taskText(id, { ...options, naming: 0 }).observation);
    if (!own) return null;
    const heldOut = this.heldOutGoals(apart);
    const other = withOtherGoal(own, listSeed, asked, (name) => !heldOut.has(name));
    if (exchanged) return new ListWorld(renamed(other, this.vocabulary(true).names, naming));
    if (other.goal === own.goal) return null;
    const shown = this.naming(options);
    const list = readRecipeList(shown?.toShown(writeRecipeList(other)) ?? writeRecipeList(other));
    return list && new ListWorld(list);
  }

  /** Goals of evaluations, which training never uses. */
  private heldOutGoals(apart: number): ReadonlySet<string> {
    const known = this.heldOut.get(apart);
    if (known) return known;
    const options = parseTextCraftOptions({ apart });
    const ids = new Set([...splitIds('test'), ...(apart > 0 ? idsOf(options, 'test') : [])]);
    const goals = new Set(
      [...ids].flatMap((id) => readRecipeList(this.taskText(id, plainList).observation)?.goal ?? []),
    );
    this.heldOut.set(apart, goals);
    return goals;
  }

  private name(slot: number, options: Named): void {
    const naming = this.naming(options);
    if (naming) this.exchanges.set(slot, naming);
    else this.exchanges.delete(slot);
  }

  /** Vocabulary of generated lists: the words and names that a naming may exchange. */
  vocabulary(wholeNames: boolean): Vocabulary {
    this.names ??= itemNames(this.ownActions());
    return { words: this.itemWords().filter((word) => !isKind(word)), names: wholeNames ? this.names : [] };
  }

  /** Returns null if every item keeps its own name or whole names are exchanged. */
  private naming({ naming: number, keepKinds, wholeNames }: Named): NameExchange | null {
    if (number === 0 || wholeNames) return null;
    const key = keepKinds ? -number : number;
    const known = this.namings.get(key);
    if (known) return known;
    const naming = new NameExchange(keepKinds ? this.vocabulary(false).words : this.itemWords(), number);
    if (this.namings.size >= MAX_CACHED_TASKS) this.namings.clear();
    this.namings.set(key, naming);
    return naming;
  }

  private itemWords(): string[] {
    this.words ??= itemWords(this.ownActions());
    return this.words;
  }

  /** Actions of every goal's own recipes, in the order of the goals. */
  private ownActions(): string[] {
    const texts = Array.from({ length: this.wasm.goalCount() }, (_, id) => this.taskText(id, plainList));
    return texts.flatMap(({ validActions }) => validActions);
  }

  private taskText(id: number, options: Named & Pick<TextCraftOptions, 'distractors' | 'listSeed'>): TaskText {
    const { distractors, listSeed, naming: number, keepKinds, wholeNames } = options;
    const key = `${id},${distractors},${listSeed},${wholeNames ? 0 : number},${keepKinds}`;
    let text = this.texts.get(key);
    if (!text) {
      const naming = this.naming(options);
      this.wasm.writeTask(id, distractors, listSeed);
      const [observation, actions] = (naming?.toShown(this.output()) ?? this.output()).split('\0');
      text = { observation, validActions: actions.split('\n') };
      // All episodes of this task share the array.
      Object.freeze(text.validActions);
      if (this.texts.size >= MAX_CACHED_TASKS) this.texts.delete(this.texts.keys().next().value!);
      this.texts.set(key, text);
    }
    return text;
  }

  /** Makes room for a batch and writes its slots. */
  private beginBatch(slots: readonly number[]): void {
    this.wasm.ensureBatch(slots.length);
    this.refresh();
    for (let b = 0; b < slots.length; b++) this.columns[b] = slots[b];
  }

  /** Recreates the views on linear memory if it grew or the columns moved. */
  private refresh(): void {
    const { buffer } = this.wasm.memory;
    if (this.bytes.buffer !== buffer) this.bytes = new Uint8Array(buffer);
    const capacity = this.wasm.batchCapacity();
    if (this.columns.buffer === buffer && this.capacity === capacity) return;
    this.capacity = capacity;
    this.columns = new Int32Array(buffer, this.wasm.columns(), capacity * 7);
  }

  /** Encodes the whole batch in one call if it is ASCII (lengths are then known), otherwise each text by itself. */
  private writeActions(actions: readonly string[]): void {
    const joined = actions.join('');
    const start = this.wasm.inputBuffer(joined.length * 3);
    this.refresh();
    const room = this.bytes.subarray(start, start + joined.length * 3);
    const lengths = this.columns.subarray(Column.inputLength * this.capacity);
    const { written } = encoder.encodeInto(joined, room);
    for (let b = 0; b < actions.length; b++) lengths[b] = actions[b].length;
    if (written === joined.length) return;
    let used = 0;
    for (let b = 0; b < actions.length; b++) {
      lengths[b] = encoder.encodeInto(actions[b], room.subarray(used)).written;
      used += lengths[b];
    }
  }

  private output(): string {
    this.refresh();
    const start = this.wasm.outputPointer();
    return decoder.decode(this.bytes.subarray(start, start + this.wasm.outputLength()));
  }

  private readTexts<T>(count: number, read: (text: string, flags: number, b: number) => T): T[] {
    const all = this.output();
    const ascii = all.length === this.wasm.outputLength();
    const { columns, capacity } = this;
    const answers = new Array<T>(count);
    let used = 0;
    for (let b = 0; b < count; b++) {
      const length = columns[Column.outputLength * capacity + b];
      const text = ascii ? all.slice(used, used + length) : this.outputSlice(used, length);
      answers[b] = read(text, columns[Column.flags * capacity + b], b);
      used += length;
    }
    return answers;
  }

  private outputSlice(start: number, length: number): string {
    const from = this.wasm.outputPointer() + start;
    return decoder.decode(this.bytes.subarray(from, from + length));
  }
}

function checkLengths(call: string, slots: readonly number[], others: readonly unknown[]): void {
  if (slots.length !== others.length)
    throw new WorldError(`${call} needs one entry for each slot: ${slots.length} slots, ${others.length} entries.`);
}

function checkSlot(slot: number): void {
  if (!Number.isInteger(slot) || slot < 0 || slot >= MAX_SLOTS)
    throw new WorldError(`A slot must be a whole number from 0 to ${MAX_SLOTS - 1}, not ${slot}.`);
}
