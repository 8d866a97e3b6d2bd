/** Edges of the command line: empty numbers, tables with odd names, means that overflowed, long refusals. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberIn } from '../../src/cli/number-argument.ts';
import { formatMean } from '../../src/cli/report.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presets } from '../../src/experiment/presets.ts';
import { csvTable } from '../../src/fields/csv.ts';
import { markdownTable, plain, textTable } from '../../src/rl/evaluation/tables.ts';

it('an empty number is no number', () => {
  expect([numberIn(''), numberIn(' '), numberIn('7')]).toEqual([Number.NaN, Number.NaN, 7]);
});

/** Cells of a table as RFC 4180 divides them. */
function cellsOf(csv: string): string[] {
  const cells = csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n\r]*))(?:,|\n)/gy);
  return [...cells].map(([, quoted, plainText]) => quoted?.replaceAll('""', '"') ?? plainText);
}

it('a table keeps its columns with any name', () => {
  const table = { head: ['', 'rate'], rows: [['a|b\nc\\', '1']] };
  expect(markdownTable(table)).toBe('|  | rate |\n| --- | ---: |\n| a\\|b c\\\\ | 1 |');
  expect(textTable(table).split('\n')).toHaveLength(2);
  expect(csvTable({ head: ['a'], rows: [['b\r']] })).toBe('a\n"b\r"\n');
});

it('no text of a table is run as a formula, divides a row or begins an element, a link or an image', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('!', '[', ']', '(', ')', '<', '|', '\\', '\n', 'a') }),
    fc
      .tuple(fc.constantFrom('=', '+', '-', '@', '\t', '\r', ' =', '＝', '\n@'), fc.string())
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.array(texts, { minLength: 2, maxLength: 4 }), (cells) => {
      const read = cellsOf(csvTable({ head: cells, rows: [cells] }));
      expect(read).toHaveLength(2 * cells.length);
      for (const [k, each] of read.entries()) {
        const given = cells[k % cells.length];
        expect([given, `'${given}`]).toContain(each);
        if (/^\s*[=+\-@\t\r＝＋－＠]/.test(each)) expect(Number.isFinite(Number(each)) || each === '-').toBe(true);
      }
      const markdown = markdownTable({ head: cells, rows: [cells] });
      expect(markdown.split('\n')).toHaveLength(3);
      expect(markdown).not.toMatch(/<|\]\(/);
    }),
    { numRuns: 2000 },
  );
  expect(csvTable({ head: ['-1.5', '-', '=1+1', '-x'], rows: [] })).toBe("-1.5,-,'=1+1,'-x\n");
});

it('a mean that overflowed is named', () => {
  const stored = JSON.parse(JSON.stringify({ mean: 1e200, low: -Infinity, high: Infinity, items: 2 }));
  expect(formatMean(stored)).toContain('[not finite, not finite]');
  expect(plain(stored)).toContain('[-, -]');
});

describe('a refusal', () => {
  const document = presets[0] as { worlds: object[] };
  const messageOf = (changes: object): string => {
    try {
      parseExperiment({ ...document, ...changes });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('lists some problems and counts the rest', () => {
    const message = messageOf({ worlds: Array.from({ length: 600 }, () => ({ name: 'x'.repeat(2000), weight: -1 })) });
    expect(message.length).toBeLessThan(8000);
    expect(message).toMatch(/and \d+ more$/);
  });

  it('bounds the changes of a variant', () => {
    const changes = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, i]));
    expect(messageOf({ sweep: { seeds: [1], variants: [{ name: 'a', changes }] } })).toContain(
      '101 changes are more than the 100 that a variant may have',
    );
  });
});
