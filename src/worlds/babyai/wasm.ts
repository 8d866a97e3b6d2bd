/**
 * BabyAI's WASM instance as typed calls: packs a batch into linear memory, makes the call, unpacks the answers. Depends
 * on the memory layout (envs-wasm/babyai/index.ts); independent of tasks, splits and options.
 */
import { WorldError } from '../../envs/env.ts';
import { loadWasm } from '../../envs/transport/wasm.ts';
import { strip } from '../../python/text.ts';

interface Exports {
  memory: WebAssembly.Memory;
  slotsAt: WebAssembly.Global;
  tasksAt: WebAssembly.Global;
  actionsAt: WebAssembly.Global;
  lengthsAt: WebAssembly.Global;
  answersAt: WebAssembly.Global;
  idsAt: WebAssembly.Global;
  textAt: WebAssembly.Global;
  factsAt: WebAssembly.Global;
  worldOf(slot: number): number;
  reset(count: number): void;
  generateOnly(count: number): void;
  step(count: number): void;
  actBatch(count: number): void;
  actOne(slot: number, action: number): void;
  inspect(slot: number): void;
  missionText(slot: number, asGoal: number): number;
  lowLevelOf(slot: number, index: number): number;
  refusalTexts(slot: number): number;
  contentLook(slot: number, cell: number): number;
  oracle(slot: number): number;
  oracleStates(): number;
  actionsOfMission(slot: number): number;
}

/** Parameters of one world: AgentGym's level (1 to 40) and seed, and the kind of observation. */
export interface Start {
  level: number;
  seed: number | bigint;
  upstream: boolean;
  compact: boolean;
  /** If true, the oracle explores to find what it has not seen. Default: it sees the whole grid. */
  explores?: boolean;
  /** If true, the exploring oracle uses only facts that the observation text contains. */
  reads?: boolean;
  /** If true, the observation includes remembered things. */
  remembers?: boolean;
  /** If true, they are what is left to explore. */
  frontier?: boolean;
  /** Number of the only action of the instruction to keep, from 1 in the order of doing them. Default: all. */
  part?: number;
}

export interface Answer {
  text: string;
  reward: number;
  done: boolean;
  valid: boolean;
  actions: string[];
}

/** State of a world, for views, replays and tests. */
export interface Facts {
  width: number;
  height: number;
  x: number;
  y: number;
  dir: number;
  /** Look of the carried object; 0 if none. */
  carried: number;
  steps: number;
  maxSteps: number;
  terminated: boolean;
  truncated: boolean;
  finished: boolean;
  reward: number;
  /** Number of times the last reset of any world started over. */
  attempts: number;
  /**
   * State of the random generator after the last reset of any world: state hi, lo, increment hi, lo, has half, half.
   */
  rng: bigint[];
}

const BATCH = 256;
export const MAX_SLOTS = 65536;
const ACTION_BYTES = 256;
const SEED_WORDS = 13;
const PAD = 7;
const STRIDE = 36;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function abort(_message: number, _file: number, line: number, column: number): never {
  throw new WebAssembly.RuntimeError(`babyai.wasm aborted at ${line}:${column}`);
}

// Names in looks and actions: the same tables as in envs-wasm/babyai/text.ts.
const COLORS = ['red', 'green', 'blue', 'purple', 'yellow', 'grey'];
const STATES = ['open', 'closed', 'locked'];
const VERBS = [
  'turn left',
  'turn right',
  'move forward',
  'pickup',
  'drop',
  'go through',
  'toggle and go through',
  'toggle',
  'go to',
  'check available actions',
];

export interface CellLook {
  type: 'unseen' | 'empty' | 'wall' | 'door' | 'key' | 'ball' | 'box';
  color: string;
  /** For doors only; otherwise empty. */
  state: string;
}
/** Decodes a look byte. */
export function readLook(look: number): CellLook {
  if (look < 3)
    return { type: (['unseen', 'empty', 'wall'] as const)[look], color: look === 2 ? 'grey' : '', state: '' };
  if (look < 40) return { type: 'door', color: COLORS[Math.floor((look - 16) / 3)], state: STATES[(look - 16) % 3] };
  return { type: (['key', 'ball', 'box'] as const)[(look - 40) >> 3], color: COLORS[look & 7], state: '' };
}
function nameOf(look: number): string {
  const { type, color, state } = readLook(look);
  return state ? `${color} ${state} ${type}` : `${color} ${type}`;
}
const actionTexts: string[] = [];
const actionIds = new Map<string, number>();
/** Text of a 16-bit action id, cached. */
export function actionText(id: number): string {
  let text = actionTexts[id];
  if (text === undefined) {
    const look = (id >> 6) & 63;
    text = look ? `${VERBS[id >> 12]} ${nameOf(look)} ${id & 63}` : VERBS[id >> 12];
    actionTexts[id] = text;
    actionIds.set(text, id);
  }
  return text;
}

/**
 * Cells of the agent's view (row * 7 + column, the farthest row first) without the agent's own cell, nearest first: the
 * order of the observation.
 */
export const inView: readonly number[] = Array.from({ length: 49 }, (_, cell) => cell)
  .filter((cell) => cell !== 45)
  .sort((a, b) => stepsTo(a) - stepsTo(b) || a - b);
function stepsTo(cell: number): number {
  const [ahead, aside] = placeInView(cell);
  return ahead + Math.abs(aside);
}
/** Position of a cell of the view relative to the agent: cells ahead, and cells to its right (negative: left). */
export function placeInView(cell: number): [ahead: number, aside: number] {
  return [6 - Math.floor(cell / 7), (cell % 7) - 3];
}
/** Change of x and y by one step ahead, by direction: right, down, left, up. */
export const STEPS = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;
/** Things in view: from the world's name for each ("red ball 1") to its cell. */
export function thingsInView(view: Uint8Array): Map<string, number> {
  const counts = new Map<number, number>();
  const things = new Map<string, number>();
  for (const cell of inView) {
    const look = view[cell];
    if (look <= 2) continue;
    const count = (counts.get(look) ?? 0) + 1;
    counts.set(look, count);
    things.set(`${nameOf(look)} ${count}`, cell);
  }
  return things;
}

const CHECK = 'check';
const PLAIN = /^[a-z][a-z0-9 ]{0,158}[a-z0-9]$/;

/**
 * `lower().strip()` as ASCII of at most 160 bytes. Every valid action fits: longer texts become "?" (or "check"), other
 * characters "?".
 */
export function plainAction(action: string): string {
  if (PLAIN.test(action)) return action;
  const text = strip(action.toLowerCase());
  if (text.length > 160) return text.includes(CHECK) ? CHECK : '?';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything outside ASCII
  return text.replace(/[^\x00-\x7f]/g, '?');
}

/** Batched calls to one instance of babyai.wasm. Create one with `BabyAiWasm.open()`. */
export class BabyAiWasm {
  private buffer: ArrayBufferLike | null = null;
  private bytes = new Uint8Array(0);
  private ints = new Int32Array(0);
  private doubles = new Float64Array(0);
  private shorts = new Uint16Array(0);
  private readonly at: Record<'slots' | 'tasks' | 'actions' | 'lengths' | 'answers' | 'ids' | 'text' | 'facts', number>;

  private constructor(private readonly wasm: Exports) {
    this.at = {
      slots: wasm.slotsAt.value,
      tasks: wasm.tasksAt.value,
      actions: wasm.actionsAt.value,
      lengths: wasm.lengthsAt.value,
      answers: wasm.answersAt.value,
      ids: wasm.idsAt.value,
      text: wasm.textAt.value,
      facts: wasm.factsAt.value,
    };
  }

  static async open(): Promise<BabyAiWasm> {
    const instance = await WebAssembly.instantiate(await loadWasm('babyai'), { env: { abort } });
    return new BabyAiWasm(instance.exports as unknown as Exports);
  }

  /** Creates worlds and returns their first observations. */
  reset(slots: readonly number[], starts: readonly Start[]): Answer[] {
    return this.inBatches(slots, (from, to) => {
      this.writeStarts(slots, starts, from, to);
      this.wasm.reset(to - from);
      return this.readAnswers(to - from);
    });
  }

  /** Creates worlds without observations. */
  generate(slots: readonly number[], starts: readonly Start[]): void {
    this.inBatches(slots, (from, to) => {
      this.writeStarts(slots, starts, from, to);
      this.wasm.generateOnly(to - from);
      return [];
    });
  }

  step(slots: readonly number[], actions: readonly string[]): Answer[] {
    return this.inBatches(slots, (from, to) => {
      this.writeSlots(slots, from, to);
      for (let k = from; k < to; k++) this.writeAction(k - from, actions[k]);
      this.wasm.step(to - from);
      return this.readAnswers(to - from);
    });
  }

  /** Executes one low-level action (MiniGrid's numbers) in each world, without observations. */
  act(slots: readonly number[], actions: ArrayLike<number>): void {
    this.inBatches(slots, (from, to) => {
      this.writeSlots(slots, from, to);
      for (let k = from; k < to; k++) this.bytes[this.at.actions + (k - from) * ACTION_BYTES] = actions[k];
      this.wasm.actBatch(to - from);
      return [];
    });
  }
  actOne(slot: number, action: number): void {
    this.wasm.actOne(slot, action);
  }

  facts(slot: number): Facts {
    this.wasm.inspect(slot);
    this.refresh();
    const at = this.at.facts;
    const i = this.ints.subarray(at >> 2, (at >> 2) + 16);
    const rng = Array.from({ length: 6 }, (_, k) => new DataView(this.bytes.buffer, at + 72).getBigUint64(k * 8, true));
    return {
      width: i[0],
      height: i[1],
      x: i[2],
      y: i[3],
      dir: i[4],
      carried: i[5],
      steps: i[6],
      maxSteps: i[7],
      terminated: i[8] !== 0,
      truncated: i[9] !== 0,
      finished: i[14] !== 0,
      attempts: i[13],
      reward: this.doubles[(at + 64) >> 3],
      rng,
    };
  }

  /** Looks of the grid, rows of `width`. */
  grid(slot: number): Uint8Array[] {
    const { width, height } = this.facts(slot);
    const at = this.ints[(this.at.facts + 40) >> 2];
    const row = (y: number) => at + (y + PAD) * STRIDE + PAD;
    return Array.from({ length: height }, (_, y) => this.bytes.slice(row(y), row(y) + width));
  }
  /** The agent's view: 7 rows of 7 looks, the farthest row first, the agent in the middle of the last. */
  view(slot: number): Uint8Array {
    this.wasm.inspect(slot);
    this.refresh();
    const at = this.ints[(this.at.facts + 44) >> 2];
    return this.bytes.slice(at, at + 49);
  }
  /** Look of the object inside the box at (x, y); 0 if none. */
  contentAt(slot: number, x: number, y: number): number {
    return this.wasm.contentLook(slot, (y + PAD) * STRIDE + x + PAD);
  }
  mission(slot: number): string {
    return this.text(this.wasm.missionText(slot, 0));
  }
  /** Number of actions that the instruction names. */
  actionsOfMission(slot: number): number {
    return this.wasm.actionsOfMission(slot);
  }

  goal(slot: number): string {
    return this.text(this.wasm.missionText(slot, 1));
  }
  /** Low-level actions of entry `index` of the action list, as digits. */
  lowLevelOf(slot: number, index: number): string {
    const length = this.wasm.lowLevelOf(slot, index);
    this.refresh();
    return Array.from(this.bytes.subarray(this.at.text, this.at.text + length)).join('');
  }
  /** Currently known refusals, by action. */
  refusals(slot: number): Map<string, string> {
    const lines = this.text(this.wasm.refusalTexts(slot)).split('\n').slice(0, -1);
    return new Map(lines.map((line) => line.split('\t') as [string, string]));
  }
  /** Actions that complete the mission, or null if the search found none. */
  oracle(slot: number): string[] | null {
    const length = this.wasm.oracle(slot);
    this.refresh();
    const ids = this.shorts.subarray(this.at.ids >> 1, (this.at.ids >> 1) + length);
    return length ? Array.from(ids, actionText) : null;
  }
  /**
   * Number of states that the oracle's last search visited. If there is no plan and this is below the limit (3,072),
   * the mission cannot be completed.
   */
  oracleStates(): number {
    return this.wasm.oracleStates();
  }
  memoryBytes(): number {
    return this.wasm.memory.buffer.byteLength;
  }

  private inBatches(slots: readonly number[], call: (from: number, to: number) => Answer[]): Answer[] {
    // Creating worlds may grow the memory, so it happens before anything is written.
    for (const slot of slots) this.wasm.worldOf(slot);
    this.refresh();
    if (slots.length <= BATCH) return call(0, slots.length);
    const answers: Answer[] = [];
    for (let from = 0; from < slots.length; from += BATCH) {
      for (const answer of call(from, Math.min(from + BATCH, slots.length))) answers.push(answer);
    }
    return answers;
  }
  private refresh(): void {
    const { buffer } = this.wasm.memory;
    if (this.buffer === buffer) return;
    this.buffer = buffer;
    this.bytes = new Uint8Array(buffer);
    this.ints = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    this.shorts = new Uint16Array(buffer);
  }
  private writeSlots(slots: readonly number[], from: number, to: number): void {
    const at = this.at.slots >> 2;
    for (let k = from; k < to; k++) this.ints[at + k - from] = slots[k];
  }
  private writeStarts(slots: readonly number[], starts: readonly Start[], from: number, to: number): void {
    this.writeSlots(slots, from, to);
    for (let k = from; k < to; k++) this.writeStart((this.at.tasks + (k - from) * 64) >> 2, starts[k]);
  }
  private writeStart(
    at: number,
    { level, seed, upstream, compact, explores, reads, remembers, frontier, part = 0 }: Start,
  ): void {
    const words = seedWords(seed);
    this.ints[at] = level;
    const options = [upstream, compact, explores, reads, remembers, frontier];
    this.ints[at + 1] = options.reduce((bits, option, bit) => bits | (option ? 1 << bit : 0), part << 8);
    this.ints[at + 2] = words.length;
    for (let k = 0; k < words.length; k++) this.ints[at + 3 + k] = words[k];
  }
  /** Writes an action that appeared in some action list as its id, any other as text. */
  private writeAction(entry: number, action: string): void {
    const id = actionIds.get(action);
    if (id !== undefined) {
      this.ints[(this.at.lengths >> 2) + entry] = ~id;
      return;
    }
    const at = this.at.actions + entry * ACTION_BYTES;
    const plain = plainAction(action);
    encoder.encodeInto(plain, this.bytes.subarray(at, at + ACTION_BYTES));
    this.ints[(this.at.lengths >> 2) + entry] = plain.length;
  }
  private text(length: number): string {
    this.refresh();
    return decoder.decode(this.bytes.subarray(this.at.text, this.at.text + length));
  }
  private readAnswers(count: number): Answer[] {
    this.refresh();
    const last = (this.at.answers + (count - 1) * 32) >> 2;
    const all = count ? this.text(this.ints[last + 2] + this.ints[last + 3]) : '';
    return Array.from({ length: count }, (_, entry) => this.readAnswer(entry, all));
  }
  private readAnswer(entry: number, all: string): Answer {
    const at = (this.at.answers + entry * 32) >> 2;
    const start = this.ints[at + 2];
    const flags = this.ints[at + 4];
    const count = this.ints[at + 5];
    const ids = (this.at.ids >> 1) + this.ints[at + 6];
    const actions = new Array<string>(count);
    for (let k = 0; k < count; k++) actions[k] = actionText(this.shorts[ids + k]);
    return {
      text: all.slice(start, start + this.ints[at + 3]),
      reward: this.doubles[at >> 1],
      done: (flags & 1) !== 0,
      valid: (flags & 2) !== 0,
      actions,
    };
  }
}

/** Seed as little-endian 32-bit words, the input of numpy's SeedSequence. */
function seedWords(seed: number | bigint): number[] {
  if (typeof seed === 'number' ? !Number.isSafeInteger(seed) || seed < 0 : seed < 0n)
    throw new WorldError(`A seed must be a whole number, 0 or more, not ${seed}.`);
  if (typeof seed === 'number' && seed <= 0xffffffff) return [seed | 0];
  const words: number[] = [];
  for (let rest = BigInt(seed); rest > 0n; rest >>= 32n) words.push(Number(rest & 0xffffffffn) | 0);
  if (words.length > SEED_WORDS)
    throw new WorldError(`A seed must have at most ${SEED_WORDS * 32} bits, not ${BigInt(seed).toString(2).length}.`);
  return words.length ? words : [0];
}
