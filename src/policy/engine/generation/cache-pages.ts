/**
 * K/V cache of decoding, divided into pages (PagedAttention, Kwon et al. 2023, https://arxiv.org/abs/2309.06180).
 * Prompts and trajectories take pages as they grow and release them at the end, so fewer pages may be planned than all
 * would need at full length. This file manages rows and pages, without any GPU type.
 *
 * Every prompt and slot owns fixed row numbers, as many as it may ever need. Kernels translate a row number to a place
 * in the cache through the table. The placement of pages does not affect any computed value.
 */
import type { ModelConfig } from '../../config.ts';
import type { Capacity } from '../../policy.ts';

/** Storage of K/V rows: floats, or signed bytes with one scale per head (kv-bytes.ts). */
export type KvPrecision = 'f32' | 'int8';

/** log2 of the rows in a page: pages of 16 rows, like vLLM's. */
export const pageBits = 4;
const pagesFor = (rows: number) => Math.ceil(rows / 2 ** pageBits);

/** Thrown if too few pages are free or planned. */
export class PagesError extends RangeError {
  override name = 'PagesError';
}

/** Number of trajectories held at once. */
export const slotsOf = (c: Capacity) => Math.max(c.rows, c.slots ?? c.rows);

/** Size of one layer's K/V row in 32-bit words. */
export const kvRowWords = ({ numKvHeads, headDim }: ModelConfig, precision: KvPrecision) =>
  2 * numKvHeads * (precision === 'int8' ? headDim / 4 + 1 : headDim);

/**
 * Largest number of pages of a prompt (`prompt`) and of a trajectory (`own`); `least`: for one of each; `most`: for all
 * that may be held at once.
 */
export function pagesNeeded(c: Capacity) {
  const [prompt, own] = [pagesFor(c.promptTokens), pagesFor(c.completionTokens)];
  return { prompt, own, least: prompt + own, most: c.groups * prompt + slotsOf(c) * own };
}

/** Plans a share of the pages that all would need at full length, but enough for one trajectory. */
export function sharedPages(c: Capacity, share: number): Capacity {
  if (share === 1) return c;
  const { least, most } = pagesNeeded(c);
  return { ...c, cachePages: Math.max(least, Math.ceil(most * share)) };
}

/** Number of planned pages. Throws PagesError if not even one trajectory would fit. */
export function plannedPages(c: Capacity): number {
  const { least, most } = pagesNeeded(c);
  const pages = Math.min(most, c.cachePages ?? most);
  if (pages >= least) return pages;
  const longest = `a prompt of ${c.promptTokens} tokens and ${c.completionTokens} after it`;
  throw new PagesError(
    `${pages} pages of the K/V cache cannot hold one trajectory: ${longest} need ${least}. Plan more pages (cachePages).`,
  );
}

/** Rows of the cache: those of all pages, and one extra page that finished trajectories write to. */
export const cacheRows = (c: Capacity) => (plannedPages(c) + 1) << pageBits;

/** Entries of the table: one for each page that a prompt or slot may need, and one for the extra page. */
export const tableEntries = (c: Capacity) => pagesNeeded(c).most + 1;

/**
 * Assignment of pages to owners (prompts and slots). Each owner has a fixed range of the table, and its id is the first
 * entry of that range.
 */
export class CachePages {
  /** Page of each table entry. */
  readonly table: Uint32Array<ArrayBuffer>;
  /** True if the table changed since the flag was last reset. */
  changed = true;
  private readonly spare: number[];
  private readonly held = new Map<number, number>();
  /** Cache of `mostHeld`; -1 if it must be recomputed. */
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

  /** Pages of the prompt or slot whose first row has this number, in row order. */
  pagesFrom(base: number): number[] {
    const owner = base >> pageBits;
    return [...this.table.subarray(owner, owner + (this.held.get(owner) ?? 0))];
  }

  /** Largest number of pages held by one slot. */
  private get mostHeld(): number {
    if (this.most < 0) {
      this.most = 0;
      const firstSlot = this.slotOwner(0);
      for (const [owner, pages] of this.held) if (owner >= firstSlot) this.most = Math.max(this.most, pages);
    }
    return this.most;
  }

  /**
   * True if all trajectories can still finish when `free` pages are left and the largest slot holds `most` pages. That
   * slot can take everything it may still need, and after its release its pages suffice for any other slot. This is
   * Dijkstra's banker's algorithm for equal maximum demands.
   */
  private isSafe(free: number, most: number): boolean {
    return this.need.own - most <= free;
  }

  /** Number of these prompts, counted from the first, that can be placed now. */
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
    if (this.promptsThatFit([rows]) === 0) throw this.noPagesError(`a prompt of ${rows} tokens`, pagesFor(rows));
    this.take(this.promptOwner(index), pagesFor(rows));
  }

  /** Grows a slot to this many rows. Returns false if it must wait until others release pages. */
  growSlot(slot: number, rows: number): boolean {
    const owner = this.slotOwner(slot);
    const held = this.held.get(owner) ?? 0;
    const more = pagesFor(rows) - held;
    if (more <= 0) return true;
    if (!this.isSafe(this.free - more, Math.max(this.mostHeld, held + more))) return false;
    this.take(owner, more);
    return true;
  }

  /** Grows a slot to this many rows. Throws PagesError instead of waiting. */
  needSlot(slot: number, rows: number): void {
    if (!this.growSlot(slot, rows)) throw this.noPagesError(`${rows} rows of slot ${slot}`, pagesFor(rows));
  }

  private noPagesError(whose: string, pages: number): PagesError {
    return new PagesError(
      `The K/V cache has no pages for ${whose}: ${pages} in all, ${this.free} of ${this.table[this.need.most]} are free, and ` +
        `one trajectory must always be able to finish. Decode in rounds that wait for pages, or plan more pages (cachePages).`,
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
    this.giveBack(this.promptOwner(index));
  }

  releaseSlot(slot: number): void {
    this.giveBack(this.slotOwner(slot));
  }

  private giveBack(owner: number): void {
    const held = this.held.get(owner) ?? 0;
    this.spare.push(...this.table.subarray(owner, owner + held));
    this.held.delete(owner);
    if (held === this.most) this.most = -1;
  }

  clear(): void {
    for (const owner of [...this.held.keys()]) this.giveBack(owner);
  }
}
