/**
 * A world's WASM instance whose calls carry a batch of texts: the host's side of envs-wasm/shared/batch.ts. Packs
 * slots, numbers and texts into linear memory, and unpacks the answers.
 */
import { WorldError } from '../env.ts';
import { loadWasm } from './wasm.ts';

/** Exports of every such instance. */
export interface BatchExports {
  memory: WebAssembly.Memory;
  ensureWorlds(count: number): void;
  hasWorld(slot: number): number;
  ensureBatch(count: number): void;
  columns(): number;
  batchCapacity(): number;
  inputBuffer(bytes: number): number;
  outputPointer(): number;
  outputLength(): number;
}

const MAX_SLOTS = 1 << 20;
const COLUMNS = 8;
const Column = { slot: 0, inputLength: 1, outputLength: 2, flags: 3, task: 4 } as const;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Use `TextBatch.open(name)`, with the instance's own exports as type. */
export class TextBatch<E extends BatchExports> {
  private columns = new Int32Array(0);
  private capacity = 0;
  private bytes = new Uint8Array(0);

  private constructor(readonly wasm: E) {}

  static async open<E extends BatchExports>(name: string): Promise<TextBatch<E>> {
    const abort = (_message: number, _file: number, line: number, column: number): never => {
      throw new WebAssembly.RuntimeError(`${name}.wasm aborted at ${line}:${column}`);
    };
    const instance = await WebAssembly.instantiate(await loadWasm(name), { env: { abort } });
    return new TextBatch(instance.exports as unknown as E);
  }

  /** Size of the linear memory: its peak, since it never shrinks. */
  memoryBytes(): number {
    return this.wasm.memory.buffer.byteLength;
  }

  /** Begins a batch of worlds that may be new, with up to four numbers each and their input as bytes. */
  reset(slots: readonly number[], tasks: readonly (readonly number[])[], inputs: readonly Uint8Array[] = []): void {
    checkLengths('reset', slots, tasks);
    for (const slot of slots) checkSlot(slot);
    this.wasm.ensureWorlds(Math.max(-1, ...slots) + 1);
    this.begin(slots);
    for (const [b, numbers] of tasks.entries())
      for (const [k, number] of numbers.entries()) this.columns[(Column.task + k) * this.capacity + b] = number;
    this.writeInputs(slots.length, (b) => inputs[b] ?? new Uint8Array(0));
  }

  /** Begins a batch of worlds that have begun. */
  begin(slots: readonly number[]): void {
    this.wasm.ensureBatch(slots.length);
    this.refresh();
    for (let b = 0; b < slots.length; b++) this.columns[b] = slots[b];
  }

  /** A batch of texts for worlds that have begun. */
  texts(slots: readonly number[], texts: readonly string[]): void {
    checkLengths('step', slots, texts);
    this.checkWorlds(slots);
    this.begin(slots);
    this.writeInputs(texts.length, (b) => encoder.encode(texts[b]));
  }

  checkWorlds(slots: readonly number[]): void {
    for (const slot of slots)
      if (!this.wasm.hasWorld(slot)) throw new WorldError(`World ${slot} has not begun: reset it with a task first.`);
  }

  /** Complete output of the last call. */
  output(): string {
    this.refresh();
    const start = this.wasm.outputPointer();
    return decoder.decode(this.bytes.subarray(start, start + this.wasm.outputLength()));
  }

  /** Output and flags of the last call, row by row. */
  answers<T>(count: number, read: (text: string, flags: number, b: number) => T): T[] {
    this.refresh();
    const { columns, capacity } = this;
    let start = this.wasm.outputPointer();
    return Array.from({ length: count }, (_, b) => {
      const end = start + columns[Column.outputLength * capacity + b];
      const text = decoder.decode(this.bytes.subarray(start, end));
      start = end;
      return read(text, columns[Column.flags * capacity + b], b);
    });
  }

  private writeInputs(count: number, inputOf: (b: number) => Uint8Array): void {
    const inputs = Array.from({ length: count }, (_, b) => inputOf(b));
    let at = this.wasm.inputBuffer(inputs.reduce((bytes, input) => bytes + input.length, 0));
    this.refresh();
    for (const [b, input] of inputs.entries()) {
      this.bytes.set(input, at);
      this.columns[Column.inputLength * this.capacity + b] = input.length;
      at += input.length;
    }
  }

  /** Views on linear memory, renewed after the memory has grown or the columns have moved. */
  private refresh(): void {
    const { buffer } = this.wasm.memory;
    if (this.bytes.buffer !== buffer) this.bytes = new Uint8Array(buffer);
    const capacity = this.wasm.batchCapacity();
    if (this.columns.buffer === buffer && this.capacity === capacity) return;
    this.capacity = capacity;
    this.columns = new Int32Array(buffer, this.wasm.columns(), capacity * COLUMNS);
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
