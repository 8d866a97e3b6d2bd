// Pages of the K/V cache: no page has two owners, none is lost, and a waiting row gets its turn.
import { describe, expect, it } from 'vitest';
import { CachePages, plannedPages } from '../../src/policy/engine/generation/cache-pages.ts';
import type { Capacity } from '../../src/policy/policy.ts';

const capacity: Capacity = {
  ...{ rows: 5, slots: 7, groups: 3, promptTokens: 40, completionTokens: 100 },
  ...{ batchTokens: 64, batchScored: 16 },
};
const most = 3 * 3 + 7 * 7;

/** Integers below `n`, the same every time. */
function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** Counts the rows of every owner, and checks them against the pages. */
class Model {
  readonly prompts = new Map<number, number>();
  readonly slots = new Map<number, number>();
  constructor(
    readonly pages: CachePages,
    readonly planned: number,
  ) {}

  check(): void {
    const { pages } = this;
    const held: number[] = [];
    const owners: [ReadonlyMap<number, number>, (i: number) => number][] = [
      [this.prompts, (i) => pages.promptBase(i)],
      [this.slots, (i) => pages.slotBase(i)],
    ];
    for (const [rows, base] of owners)
      for (const [i, count] of rows) {
        const own = pages.pagesFrom(base(i));
        expect(own).toHaveLength(Math.ceil(count / 16));
        held.push(...own);
      }
    expect(new Set(held).size).toBe(held.length);
    expect(held.length + pages.free).toBe(this.planned);
    expect(held.every((page) => page < this.planned)).toBe(true);
    // Finished rows write to a page that belongs to nobody.
    expect(pages.table[pages.restRow >> 4]).toBe(this.planned);
  }

  /** The slot with the most pages can grow to its end, then the next one, and so on. */
  drain(): void {
    const order = [...this.slots].sort((a, b) => Math.ceil(b[1] / 16) - Math.ceil(a[1] / 16));
    for (const [slot] of order) {
      expect(this.pages.growSlot(slot, capacity.completionTokens)).toBe(true);
      this.slots.set(slot, capacity.completionTokens);
      this.check();
      this.pages.releaseSlot(slot);
      this.slots.delete(slot);
    }
  }

  act(roll: (n: number) => number): 'grown' | 'waits' | null {
    const { pages, prompts, slots } = this;
    const [what, index, slot] = [roll(8), roll(capacity.groups), roll(7)];
    if (what === 0 && prompts.has(index)) {
      pages.releasePrompt(index);
      prompts.delete(index);
    } else if (what <= 1 && !prompts.has(index)) {
      const rows = 1 + roll(capacity.promptTokens);
      const fits = pages.promptsThatFit([rows]) === 1;
      if (fits) pages.takePrompt(index, rows);
      else expect(() => pages.takePrompt(index, rows)).toThrow(/no pages for a prompt of .*Decode in rounds/);
      if (fits) prompts.set(index, rows);
    } else if (what === 2 && slots.has(slot)) {
      pages.releaseSlot(slot);
      slots.delete(slot);
    } else {
      const rows = Math.min(capacity.completionTokens, (slots.get(slot) ?? 0) + 1 + roll(30));
      const grown = pages.growSlot(slot, rows);
      if (grown) slots.set(slot, rows);
      return grown ? 'grown' : 'waits';
    }
    return null;
  }
}

describe.each([10, 17, 33, most])('%i pages', (cachePages) => {
  it('have one owner each, and are enough for one trajectory after the other', () => {
    const pages = new CachePages({ ...capacity, cachePages });
    const model = new Model(pages, cachePages);
    const roll = dice(cachePages);
    const seen = new Map<string | null, number>();
    for (let i = 0; i < 1000; i++) {
      const did = model.act(roll);
      seen.set(did, (seen.get(did) ?? 0) + 1);
      model.check();
      if (roll(200) === 0) model.drain();
    }
    expect(seen.get('grown')).toBeGreaterThan(50);
    if (cachePages === most) expect(seen.get('waits')).toBeUndefined();
    else expect(seen.get('waits')).toBeGreaterThan(20);
    pages.clear();
    expect(pages.free).toBe(cachePages);
  });
});

it('the default number of pages is enough for all, and any allowed number is enough for one', () => {
  expect(plannedPages(capacity)).toBe(most);
  expect(plannedPages({ ...capacity, cachePages: 1000 })).toBe(most);
  expect(plannedPages({ ...capacity, cachePages: 10 })).toBe(10);
  expect(() => plannedPages({ ...capacity, cachePages: 9 })).toThrow(
    /9 pages of the K\/V cache cannot hold one trajectory: a prompt of 40 tokens and 100 after it need 10/,
  );
});
