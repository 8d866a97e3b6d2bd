// The reader of trajectories without a page: rows of a long list, its address, and the differences between two
// conversations.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/trajectories/files/record.ts';
import { fileOrder, noFilter, orderKeys } from '../../src/trajectories/files/record-filter.ts';
import { alignedMessages, wordDifferences } from '../../src/ui/reader/differences.ts';
import { listFromText, listToText } from '../../src/ui/reader/list-link.ts';
import { rowWindow, scrollTo } from '../../src/ui/reader/row-window.ts';

describe('rows of a list', () => {
  const shapes = fc.record({
    rows: fc.integer({ min: 0, max: 4_000_000 }),
    rowHeight: fc.integer({ min: 20, max: 60 }),
    viewHeight: fc.integer({ min: 60, max: 2000 }),
  });

  it('fill the view, whatever its length, and stay within the whole list', () => {
    fc.assert(
      fc.property(shapes, fc.double({ min: 0, max: 1, noNaN: true }), (shape, part) => {
        const { height } = rowWindow(shape, 0);
        expect(height).toBeLessThanOrEqual(Math.max(8_000_000, shape.viewHeight));
        const scrollTop = part * (height - shape.viewHeight);
        const { first, end, top } = rowWindow(shape, scrollTop);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(shape.rows);
        if (shape.rows === 0) return;
        expect(top).toBeLessThanOrEqual(scrollTop + 1e-3);
        // The last drawn row reaches the view's lower edge, or is the last one of the list.
        const bottom = top + (end - first) * shape.rowHeight;
        expect(end === shape.rows || bottom >= scrollTop + shape.viewHeight - 1e-3).toBe(true);
      }),
    );
  });

  it('can all be scrolled to, up to the last of millions', () => {
    fc.assert(
      fc.property(shapes, fc.nat(), fc.nat(), (shape, from, to) => {
        if (shape.rows === 0) return;
        const way = rowWindow(shape, 0).height - shape.viewHeight;
        const start = scrollTo(shape, 0, from % shape.rows);
        const row = to % shape.rows;
        const at = scrollTo(shape, Math.min(start, way), row);
        expect(at).toBeLessThanOrEqual(way + 1);
        const { first, end } = rowWindow(shape, at);
        expect(first <= row && row < end).toBe(true);
      }),
    );
  });
});

describe('the address of a list', () => {
  const bound = fc.option(fc.integer({ min: -1000, max: 1000 }).map((n) => n / 8));
  const filters = fc.record({
    success: fc.constantFrom('any' as const, 'yes' as const, 'no' as const, 'unknown' as const),
    world: fc.option(fc.string()),
    family: fc.option(fc.string()),
    leastScore: bound,
    mostScore: bound,
    leastTurns: bound,
    mostTurns: bound,
    step: fc.option(fc.nat(1e6)),
    text: fc.string(),
  });
  const sortings = fc.record({ by: fc.constantFrom(...orderKeys), descending: fc.boolean() });

  it('is written and read back', () => {
    fc.assert(
      fc.property(filters, sortings, (filter, sorting) => {
        expect(listFromText(listToText(filter, sorting))).toEqual({ filter, sorting });
      }),
    );
    expect(listToText(noFilter, fileOrder)).toBe('');
  });

  it('with nonsense opens the whole list', () => {
    expect(listFromText('score=x..y&sort=evil&success=maybe&step=1e9')).toEqual({
      filter: noFilter,
      sorting: fileOrder,
    });
  });
});

describe('two conversations', () => {
  const message = (role: Message['role'], content: string): Message => ({
    role,
    content,
    trained: null,
    reasoning: null,
    source: null,
  });
  const conversations = fc.array(
    fc
      .tuple(
        fc.constantFrom('user' as const, 'assistant' as const),
        fc.constantFrom('a', 'b', 'get 1 log', 'get 2 logs'),
      )
      .map(([role, content]) => message(role, content)),
    { maxLength: 12 },
  );

  it('side by side contain every message of both, each once and in order', () => {
    fc.assert(
      fc.property(conversations, conversations, (left, right) => {
        const rows = alignedMessages(left, right);
        const side = (which: 'left' | 'right') => rows.flatMap((row) => (row[which] ? [row[which].message] : []));
        expect(side('left')).toEqual(left);
        expect(side('right')).toEqual(right);
        for (const { same, left: l, right: r } of rows) {
          if (same) expect([l?.message.role, l?.message.content]).toEqual([r?.message.role, r?.message.content]);
          if (l && r) expect(l.message.role).toBe(r.message.role);
        }
      }),
    );
  });

  it('that are the same have no differences', () => {
    fc.assert(fc.property(conversations, (one) => alignedMessages(one, one).every(({ same }) => same)));
  });

  it('have their differing words marked, and their texts unchanged', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        const parts = wordDifferences(left, right);
        expect(parts.left.map(({ text }) => text).join('')).toBe(left);
        expect(parts.right.map(({ text }) => text).join('')).toBe(right);
        const common = (some: typeof parts.left) => some.filter(({ differs }) => !differs).map(({ text }) => text);
        expect(common(parts.left)).toEqual(common(parts.right));
      }),
    );
    const { left, right } = wordDifferences('get 1 oak log', 'get 2 oak log');
    expect([left, right].map((some) => some.filter(({ differs }) => differs).map(({ text }) => text))).toEqual([
      ['1'],
      ['2'],
    ]);
  });
});
