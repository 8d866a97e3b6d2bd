/**
 * The K/V cache of decoding in pages (PagedAttention, Kwon et al. 2023, https://arxiv.org/abs/2309.06180): prompts and trajectories take pages as they grow and give
 * them back together, so that fewer may be planned than the longest of all would fill. Knows rows and pages; nothing of a GPU.
 *
 * Every prompt and slot has numbers for as many rows as it may ever have; kernels find a row by its number through the table.
 * Where a page lies changes no number that is computed.
 */
import type { ModelConfig } from '../../config.ts';
import type { Capacity } from '../../policy.ts';

/** How K/V rows are kept: floats, or signed bytes with a scale a head (kv-bytes.ts). */
export type KvPrecision = 'f32' | 'int8';

/** A page holds 2^pageBits rows: 16, vLLM's choice too. */
export const pageBits = 4;
const pagesFor = (rows: number) => Math.ceil(rows / 2 ** pageBits);

/** Fewer pages than were asked for, or than a trajectory may need. */
export class PagesError extends RangeError {
  override name = 'PagesError';
}

/** Trajectories held at once. */
export const slotsOf = (c: Capacity) => Math.max(c.rows, c.slots ?? c.rows);

/** 32-bit words of a K/V row of one layer. */
export const kvRowWords = ({ numKvHeads, headDim }: ModelConfig, precision: KvPrecision) =>
  2 * numKvHeads * (precision === 'int8' ? headDim / 4 + 1 : headDim);

/** Pages of a prompt and of a trajectory at their longest; of one of each; of as many as are held at once. */
export function pagesNeeded(c: Capacity) {
  const [prompt, own] = [pagesFor(c.promptTokens), pagesFor(c.completionTokens)];
  return { prompt, own, least: prompt + own, most: c.groups * prompt + slotsOf(c) * own };
}

/** Pages that are planned. Throws PagesError where not even one trajectory would fit. */
export function plannedPages(c: Capacity): number {
  const { least, most } = pagesNeeded(c);
  const pages = Math.min(most, c.cachePages ?? most);
  if (pages >= least) return pages;
  const longest = `a prompt of ${c.promptTokens} tokens and ${c.completionTokens} after it`;
  throw new PagesError(`${pages} pages of the K/V cache do not hold one trajectory: ${longest} need ${least}.`);
}

/** Rows of the cache: every page's, and those of one more, which finished trajectories write to. */
export const cacheRows = (c: Capacity) => (plannedPages(c) + 1) << pageBits;

/** Entries of the table: one a page that a prompt or slot may have, and the page for the finished. */
export const tableEntries = (c: Capacity) => pagesNeeded(c).most + 1;

/** Pages in the hands of owners, each of which has a run of the table's entries. An owner is the first entry of its run. */
export class CachePages {
  /** Which page stands behind each entry. */
  readonly table: Uint32Array<ArrayBuffer>;
  /** Whether the table has changed since this was last set to false. */
  changed = true;
  private readonly spare: number[];
  private readonly held = new Map<number, number>();
  /** Most pages of a slot; below 0 where it must be counted anew. */
  private most = 0;
  private readonly need: ReturnType<typeof pagesNeeded>;

  constructor(private readonly capacity: Capacity) {
    const pages = plannedPages(capacity);
    this.need = pagesNeeded(capacity);
    this.table = new Uint32Array(tableEntries(capacity)).fill(pages);
    this.spare = Array.from({ length: pages }, (_, i) => pages - 1 - i);
  }

  private promptOwner(index: number): number {
    return index * this.need.prompt;
  }

  private slotOwner(slot: number): number {
    return this.capacity.groups * this.need.prompt + slot * this.need.own;
  }

  /** Number of the first row of a prompt. */
  promptBase(index: number): number {
    return this.promptOwner(index) << pageBits;
  }

  /** Number of the first row of a slot. */
  slotBase(slot: number): number {
    return this.slotOwner(slot) << pageBits;
  }

  /** Number of the row that finished trajectories write to. */
  get restRow(): number {
    return this.need.most << pageBits;
  }

  get free(): number {
    return this.spare.length;
  }

  /** The pages of the prompt or slot whose first row has this number, in the order of its rows. */
  pagesFrom(base: number): number[] {
    const owner = base >> pageBits;
    return [...this.table.subarray(owner, owner + (this.held.get(owner) ?? 0))];
  }

  /** Most pages of a slot. */
  private get mostHeld(): number {
    if (this.most < 0) {
      this.most = 0;
      const firstSlot = this.slotOwner(0);
      for (const [owner, pages] of this.held) if (owner >= firstSlot) this.most = Math.max(this.most, pages);
    }
    return this.most;
  }

  /**
   * Whether everyone can go on to the end when `free` pages are left and some slot holds `most`: that one can take all that it may
   * still need, and when it leaves, its pages are enough for any other (Dijkstra's banker, where all may need the same).
   */
  private isSafe(free: number, most: number): boolean {
    return this.need.own - most <= free;
  }

  /** How many of these prompts, from the first on, can be placed now. */
  promptsThatFit(lengths: readonly number[]): number {
    const most = this.mostHeld;
    let { free } = this;
    let count = 0;
    for (const length of lengths) {
      free -= pagesFor(length);
      if (!this.isSafe(free, most)) break;
      count++;
    }
    return count;
  }

  takePrompt(index: number, rows: number): void {
    if (this.promptsThatFit([rows]) === 0) throw this.lack(`a prompt of ${rows} tokens`, pagesFor(rows));
    this.take(this.promptOwner(index), pagesFor(rows));
  }

  /** Lets a slot have this many rows; false: not before others have given theirs back. */
  growSlot(slot: number, rows: number): boolean {
    const owner = this.slotOwner(slot);
    const held = this.held.get(owner) ?? 0;
    const more = pagesFor(rows) - held;
    if (more <= 0) return true;
    if (!this.isSafe(this.free - more, Math.max(this.mostHeld, held + more))) return false;
    this.take(owner, more);
    return true;
  }

  /** The same, where nobody waits. */
  needSlot(slot: number, rows: number): void {
    if (!this.growSlot(slot, rows)) throw this.lack(`${rows} rows of slot ${slot}`, pagesFor(rows));
  }

  private lack(whose: string, pages: number): PagesError {
    return new PagesError(
      `The K/V cache has no pages for ${whose}: ${pages} in all, ${this.free} of ${this.table[this.need.most]} are free, and ` +
        `one trajectory must be able to end. Decode in rounds, which wait for pages, or plan more of them (cachePages).`,
    );
  }

  private take(owner: number, more: number): void {
    const held = this.held.get(owner) ?? 0;
    for (let i = 0; i < more; i++) this.table[owner + held + i] = this.spare.pop()!;
    this.held.set(owner, held + more);
    if (owner >= this.slotOwner(0) && this.most >= 0) this.most = Math.max(this.most, held + more);
    this.changed = true;
  }

  releasePrompt(index: number): void {
    this.give(this.promptOwner(index));
  }

  releaseSlot(slot: number): void {
    this.give(this.slotOwner(slot));
  }

  private give(owner: number): void {
    const held = this.held.get(owner) ?? 0;
    this.spare.push(...this.table.subarray(owner, owner + held));
    this.held.delete(owner);
    if (held === this.most) this.most = -1;
  }

  clear(): void {
    for (const owner of [...this.held.keys()]) this.give(owner);
  }
}
