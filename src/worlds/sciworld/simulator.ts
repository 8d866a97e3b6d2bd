/**
 * The ScienceWorld simulator: one WASM instance with numbered worlds and the calls of the original. Independent of
 * rewards and batches.
 */
import { WorldError } from '../../envs/env.ts';
import { loadWasm, repositoryRoot } from '../../envs/transport/wasm.ts';

const tableUrls = import.meta.glob<string>('/envs-wasm/sciworld/tables/tables.bin', {
  query: '?url',
  import: 'default',
});

interface Exports {
  memory: WebAssembly.Memory;
  room(bytes: number): number;
  install(): void;
  textAt(): number;
  textLength(): number;
  create(): number;
  reset(world: number, task: number, variation: number, simplifications: number): number;
  step(world: number, bytes: number): void;
  look(world: number): void;
  inventory(world: number): void;
  description(world: number): void;
  listActions(world: number): void;
  valid(world: number, upstream: number): void;
  codesAt(): number;
  codesLength(): number;
  validInOrder(): number;
  possibleObjects(world: number, upstream: number): void;
  score(world: number): number;
  completed(world: number): number;
  accepted(): number;
  moves(world: number): number;
  pending(world: number): number;
  randomState(world: number): bigint;
  lastUuid(world: number): number;
  progress(world: number): void;
  goals(world: number): void;
  tree(world: number, whole: number): void;
  scene(world: number): void;
  bytesOf(world: number): number;
  copy(from: number, to: number): void;
  snapshot(world: number): number;
  restore(world: number, snapshot: number): void;
  tasks(): void;
  lastWork(): number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Decodes each byte as one character. */
const latin = new TextDecoder('latin1');

async function readTables(): Promise<Uint8Array> {
  if (import.meta.env.SSR) {
    const { readFile } = await import('node:fs/promises');
    return readFile(`${await repositoryRoot()}/envs-wasm/sciworld/tables/tables.bin`);
  }
  const response = await fetch(await Object.values(tableUrls)[0]());
  if (!response.ok)
    throw new WorldError(`ScienceWorld's tables could not be fetched: HTTP ${response.status}. Reload the page.`);
  return new Uint8Array(await response.arrayBuffer());
}

async function unzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function abort(_message: number, _file: number, line: number, column: number): never {
  throw new WebAssembly.RuntimeError(`sciworld.wasm aborted at ${line}:${column}`);
}

const HELP = 'help';
const OBJECTS = 'objects';
const TASK = 'task';

/**
 * Java's `String.trim`: without control characters and spaces at both ends. Walks, because a regular expression anchored
 * at the end is quadratic on long runs of spaces.
 */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text[start] <= ' ') start++;
  while (end > start && text[end - 1] <= ' ') end--;
  return text.slice(start, end);
}

/** True if the action consists of one of these verbs, alone or with arguments. With no verbs every action matches. */
const matchesVerbs = (action: string, verbs: readonly string[]) =>
  verbs.length === 0 ||
  verbs.some((verb) => action.startsWith(verb) && (action.length === verb.length || action[verb.length] === ' '));

/** True if an action with this beginning may match one of the verbs. */
const mayMatchVerbs = (beginning: string, verbs: readonly string[]) =>
  verbs.length === 0 || verbs.some((verb) => beginning.startsWith(verb) || verb.startsWith(beginning));

/** Maximum number of cached lines, of about a hundred bytes each. */
const maxCachedLines = 50_000;
/** Maximum bytes of cached action lists with their keys: a few thousand of the longest. */
const maxCachedListBytes = 24_000_000;

export class SciWorldSimulator {
  private bytes = new Uint8Array(0);
  /** Index of each task in the tables, by name. */
  private readonly tasks: Map<string, number>;

  private readonly spare: number[] = [];
  /**
   * Cached lines of valid actions: by first piece, then by second. Equal lines of all lists are thus the same string
   * object, whose hash the engine has already computed.
   */
  private readonly cachedLines = new Map<string, { piece: string; lines: Map<string, string> }>();
  private cachedLineCount = 0;
  /**
   * Cached lists by their encoded bytes: after most turns the valid actions are unchanged. Frozen, because rows share
   * them.
   */
  private readonly cachedLists = new Map<string, readonly string[]>();
  private cachedListBytes = 0;

  private constructor(private readonly wasm: Exports) {
    wasm.tasks();
    this.tasks = new Map(this.lines().map((line, k) => [line.split(' ')[0], k]));
  }

  static async open(): Promise<SciWorldSimulator> {
    const [module, tables] = await Promise.all([loadWasm('sciworld'), readTables().then(unzip)]);
    const wasm = (await WebAssembly.instantiate(module, { env: { abort } })).exports as unknown as Exports;
    const at = wasm.room(tables.length);
    new Uint8Array(wasm.memory.buffer).set(tables, at);
    wasm.install();
    return new SciWorldSimulator(wasm);
  }

  /** Number of a new world, or of a discarded one. */
  create(): number {
    return this.spare.pop() ?? this.wasm.create();
  }

  /** Discards a world; its number may be reused. */
  discard(world: number): void {
    this.spare.push(world);
  }

  load(world: number, task: string, variation: number, simplifications: number): void {
    const index = this.tasks.get(task);
    if (index === undefined || !this.wasm.reset(world, index, variation, simplifications))
      throw new WorldError(`ScienceWorld has no variation ${variation} of a task "${task}".`);
  }

  /** Executes one line of the agent and returns the original's answer. */
  step(world: number, line: string): string {
    const command = trimmed(line).toLowerCase();
    if (command === HELP) return this.help(world);
    if (command === OBJECTS) return `Possible object references: \n\t${this.possibleObjects(world, true).join('\n\t')}`;
    if (command === TASK) return `Task description:\n${this.description(world)}`;
    const lower = line.toLowerCase();
    const at = this.wasm.room(lower.length * 3);
    this.refresh();
    const { written } = encoder.encodeInto(lower, this.bytes.subarray(at, at + lower.length * 3));
    this.wasm.step(world, written);
    return this.text();
  }

  /** Action templates, such as `open OBJ`. */
  actionTemplates(world: number): string[] {
    const [, ...lines] = this.help(world).split('\n');
    return lines.map((line) => line.trim()).filter((line) => line);
  }

  private help(world: number): string {
    this.wasm.listActions(world);
    return this.text();
  }

  look(world: number): string {
    this.wasm.look(world);
    return this.text();
  }

  inventory(world: number): string {
    this.wasm.inventory(world);
    return this.text();
  }

  description(world: number): string {
    this.wasm.description(world);
    return this.text().trim();
  }

  /**
   * Valid actions, sorted as strings. While the simulator asks which thing is meant, they are the numbers of the
   * choices. With `verbs`, only actions that begin with one of them.
   */
  validActions(world: number, upstream = false, verbs: readonly string[] = []): readonly string[] {
    const pending = this.wasm.pending(world);
    if (pending > 0) return Array.from({ length: pending }, (_, k) => String(k)).sort();
    this.wasm.valid(world, upstream ? 1 : 0);
    const text = this.text();
    const key = `${verbs}\n${this.wasm.validInOrder()}${this.codesText()}${text}`;
    const known = this.cachedLists.get(key);
    if (known) return known;
    const list = this.join(linesOf(text), verbs);
    if (!this.wasm.validInOrder()) list.sort();
    const bytes = key.length + 8 * list.length;
    if (this.cachedListBytes + bytes > maxCachedListBytes) this.clearCachedLists();
    this.cachedListBytes += bytes;
    this.cachedLists.set(key, Object.freeze(list));
    return list;
  }

  /** Codes of a list, one character for each byte. */
  private codesText(): string {
    const at = this.wasm.codesAt();
    return latin.decode(this.bytes.subarray(at, at + this.wasm.codesLength()));
  }

  private clearCachedLists(): void {
    this.cachedLists.clear();
    this.cachedListBytes = 0;
  }

  /** Cache entry of a piece: the piece itself, and the lines that begin with it, by their second piece. */
  private known(piece: string) {
    const known = this.cachedLines.get(piece) ?? { piece, lines: new Map<string, string>() };
    this.cachedLines.set(piece, known);
    return known;
  }

  /** Builds the lines of a list from its pieces (envs-wasm/sciworld/valid.ts). */
  private join(texts: readonly string[], verbs: readonly string[]): string[] {
    const { wasm } = this;
    const codes = new Uint32Array(wasm.memory.buffer, wasm.codesAt(), wasm.codesLength() / 4);
    const list: string[] = [];
    if (this.cachedLineCount > maxCachedLines) this.clearCachedLines();
    const pieces = texts.map((text) => this.known(text));
    for (let k = 0; k < codes.length; ) {
      const { piece: beginning, lines } = pieces[codes[k]];
      const end = k + 2 + codes[k + 1];
      k += 2;
      // A beginning that matches no verb skips thousands of lines.
      if (!mayMatchVerbs(beginning, verbs)) k = end;
      else if (k === end && matchesVerbs(beginning, verbs)) list.push(beginning);
      for (; k < end; k++) {
        const { piece } = pieces[codes[k]];
        let line = lines.get(piece);
        if (line === undefined) {
          line = beginning + piece;
          lines.set(piece, line);
          this.cachedLineCount++;
        }
        if (matchesVerbs(line, verbs)) list.push(line);
      }
    }
    return list;
  }

  private clearCachedLines(): void {
    this.cachedLines.clear();
    this.cachedLineCount = 0;
  }

  possibleObjects(world: number, upstream = false): string[] {
    this.wasm.possibleObjects(world, upstream ? 1 : 0);
    return this.lines().sort();
  }

  /** -1, or 0 to 1. */
  score(world: number): number {
    return this.wasm.score(world);
  }

  completed(world: number): boolean {
    return this.wasm.completed(world) !== 0;
  }

  /** True if the last step's action was executed, rather than refused or not understood. */
  accepted(): boolean {
    return this.wasm.accepted() !== 0;
  }

  /** Steps of work in the last call: a count, not a time. */
  lastWork(): number {
    return this.wasm.lastWork();
  }

  moves(world: number): number {
    return this.wasm.moves(world);
  }

  pending(world: number): number {
    return this.wasm.pending(world);
  }

  /** State of the random generator: 48 bits, as twelve hexadecimal digits. */
  randomState(world: number): string {
    return this.wasm.randomState(world).toString(16).padStart(12, '0');
  }

  lastUuid(world: number): number {
    return this.wasm.lastUuid(world);
  }

  /** Progress in the form "2:0110F": number of ordered subgoals reached, a digit for each optional one, F if failed. */
  progress(world: number): string {
    this.wasm.progress(world);
    return this.text();
  }

  goals(world: number): { text: string; reached: boolean; ordered: boolean }[] {
    this.wasm.goals(world);
    return this.lines().map((line) => ({ reached: line[0] === '+', ordered: line[1] === 'o', text: line.slice(3) }));
  }

  /** Objects around the agent (or all objects): depth, name, and temperature or null. */
  tree(world: number, whole = false): { depth: number; uuid: number; name: string; temperature: number | null }[] {
    this.wasm.tree(world, whole ? 1 : 0);
    return this.lines().map((line) => {
      const [depth, uuid, name, tenths] = line.split('|');
      const temperature = tenths === '-100000' ? null : Number(tenths) / 10;
      return { depth: Number(depth), uuid: Number(uuid), name, temperature };
    });
  }

  /** Lines of the scene for a view (envs-wasm/sciworld/scene.ts). */
  scene(world: number): string[] {
    this.wasm.scene(world);
    return this.lines();
  }

  snapshot(world: number): number {
    return this.wasm.snapshot(world);
  }

  restore(world: number, snapshot: number): void {
    this.wasm.restore(world, snapshot);
  }

  /** Copies the state of world `from` into world `to`. */
  copy(from: number, to: number): void {
    this.wasm.copy(from, to);
  }

  bytesOf(world: number): number {
    return this.wasm.bytesOf(world);
  }

  memoryBytes(): number {
    return this.wasm.memory.buffer.byteLength;
  }

  private refresh(): void {
    if (this.bytes.buffer !== this.wasm.memory.buffer) this.bytes = new Uint8Array(this.wasm.memory.buffer);
  }

  private text(): string {
    this.refresh();
    const at = this.wasm.textAt();
    return decoder.decode(this.bytes.subarray(at, at + this.wasm.textLength()));
  }

  private lines(): string[] {
    return linesOf(this.text());
  }
}

/** Lines of a text in which each line ends with a line feed. */
const linesOf = (text: string) => text.split('\n').slice(0, -1);
