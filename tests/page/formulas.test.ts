/**
 * Formulas of all cards with numbers in their places, drawn and read back: no number touches another factor, no sign
 * follows an operator without parentheses, and a line that can be computed is true as it is printed.
 */
import { nothing } from 'lit';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { algorithms, cardsOf } from '../../src/rl/algorithms/registry.ts';
import { type Card, type Formula, type Source, symbolsOf } from '../../src/rl/common/formula.ts';
import { formulaOf } from '../../src/ui/learn/formula.ts';
import { printedAdvantage } from '../../src/ui/state/episodes.ts';

/** Markup of a template without its listeners. */
function markupOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(markupOf).join('');
  if (value === nothing || value === null || value === undefined || typeof value === 'function') return '';
  if (typeof value !== 'object') return String(value);
  const { strings, values } = value as { strings: readonly string[]; values: readonly unknown[] };
  return strings.map((text, k) => text + (k < values.length ? markupOf(values[k]) : '')).join('');
}

interface Node {
  tag: string;
  children: (Node | string)[];
}

/** Tree of the elements; attributes are left out. */
function treeOf(markup: string): Node {
  const root: Node = { tag: 'root', children: [] };
  const open = [root];
  for (const [, closing, tag, text] of markup.matchAll(/<(\/?)(\w+)[^>]*>|([^<]+)/g))
    if (text !== undefined) open[0].children.push(text);
    else if (closing) open.shift();
    else {
      const node: Node = { tag, children: [] };
      open[0].children.push(node);
      open.unshift(node);
    }
  return root;
}

const elements = ({ children }: Node) => children.filter((each): each is Node => typeof each !== 'string');

/** Tokens of a node as a person reads them aloud; fractions, powers and ranges in brackets of their own. */
function tokensOf(node: Node): string[] {
  const inner = elements(node);
  if (node.tag === 'mn' || node.tag === 'mi' || node.tag === 'mo') return [node.children.join('')];
  if (node.tag === 'mfrac') return ['{', ...tokensOf(inner[0]), '}', '÷', '{', ...tokensOf(inner[1]), '}'];
  // A name with a single name above it has an index. Anything else that is raised is a power.
  if (node.tag === 'msup' && (inner[0].tag !== 'mi' || inner[1].tag === 'mrow'))
    return [...tokensOf(inner[0]), '^', '{', ...tokensOf(inner[1]), '}'];
  if (['msub', 'msup', 'msubsup'].includes(node.tag)) return [`${inner[0].children.join('')}_`];
  if (node.tag === 'munder') return ['∑'];
  return inner.flatMap(tokensOf);
}

const isNumber = (token: string | undefined) => token !== undefined && /^[\d.]+$/.test(token);
const isFactor = (token: string | undefined) => token !== undefined && (isNumber(token) || /^[\p{L}𝒜ℒ∇]/u.test(token));

/** Misreadings of a line: neighbours that run together, and signs after operators. */
function faultsOf(tokens: readonly string[]): string[] {
  return tokens.flatMap((token, k) => {
    const before = tokens[k - 1];
    const fault = (words: string) => [`${words}: ${tokens.slice(Math.max(0, k - 2), k + 2).join(' ')}`];
    const named = ['log', 'min', 'clip', 'sg'].includes(before ?? '');
    if (isNumber(token) && (isFactor(before) || before === ')' || before === ']' || before === '}') && !named)
      return fault('a number touches what precedes it');
    if (isNumber(before) && (isFactor(token) || token === '(')) return fault('a number touches what follows it');
    if (token === '−' && before !== undefined && ['−', '+', '/', '⋅', '×', '±'].includes(before))
      return fault('a sign after an operator');
    return [];
  });
}

/** Value of printed tokens, by JavaScript's own arithmetic; NaN where a name or a sum is left. */
function computed(tokens: readonly string[]): number {
  const written = tokens
    .map((each) => ({ '−': '-', '⋅': '*', '×': '*', '÷': '/', '^': '**', '{': '(', '}': ')' })[each] ?? each)
    .join(' ');
  if (/[^\d\s.()+*/-]/.test(written)) return Number.NaN;
  try {
    // A sign before a power is an error of JavaScript's syntax; the cards have none.
    return Number(new Function(`return ${written}`)());
  } catch {
    throw new Error(`“${tokens.join(' ')}” cannot be computed`);
  }
}

const readLines = (formula: Formula, numbers: (source: Source) => number | null) =>
  formulaOf(formula, '', { read: numbers, point: () => {} }).map((line) => tokensOf(treeOf(markupOf(line))));

const settings = (each: (typeof algorithms)[number], more: object) =>
  ({
    ...v.getDefaults(each.schema as never as v.StrictObjectSchema<v.ObjectEntries, undefined>),
    ...more,
    name: each.name,
  }) as never;

/** All cards, with and without the penalties of their objectives. */
const cards = algorithms.flatMap((each) =>
  [{}, { kl: { estimator: 'k3', coefficient: 0.001 }, entropy: 0.03 }].flatMap((more) =>
    cardsOf(settings(each, more)).map((card) => [`${each.name} ${card.id}`, card] as const),
  ),
);
const unique = [
  ...new Map(cards.map(([name, card]) => [name + JSON.stringify(card.formula), [name, card] as const])).values(),
];

const sizes = [0, 1, 8, 0.475, 0.125, 1 / 3, 12.345, 1e-6, 3.14159e-5, 123456, 2.5e7, 0.00099999];
const values = [...sizes, ...sizes.slice(1).map((each) => -each)];

/** Numbers for the symbols of a card: the k-th symbol of the n-th draw takes value n + 7k. */
const drawOf = (card: Card, n: number) => {
  const sources = symbolsOf(card.formula).map(({ of }) => of!);
  return (source: Source) => values[(n + 7 * sources.indexOf(source)) % values.length];
};

test.each(unique)('%s reads as one formula with numbers of all signs and sizes', (_, card) => {
  for (let n = 0; n < values.length; n++)
    for (const line of readLines(card.formula, drawOf(card, n))) expect(faultsOf(line), line.join(' ')).toEqual([]);
});

test('the temperature is a number above and below the softmax’s line', () => {
  const tokens = readLines(cards.find(([name]) => name === 'grpo act')![1].formula, () => 0.5)[0].join(' ');
  expect(tokens).toBe('0.5 = { e_ } ÷ { ∑ e_ }'.replaceAll('e_', 'e ^ { z_ / 0.5 }'));
});

/** Returns of a group, and what GRPO makes of them. */
function groupOf(returns: readonly number[]) {
  const size = returns.length;
  const mean = returns.reduce((a, b) => a + b) / size;
  const std = Math.sqrt(returns.reduce((a, b) => a + (b - mean) ** 2, 0) / (size - 1));
  return { size, mean, std, epsilon: 1e-6, advantage: (returns[0] - mean) / (std + 1e-6) };
}

const groups = [
  [1, 1, 1, 1, 1, 1, 1, 0],
  [1, 0, 0, 0, 0, 0, 0, 0],
  [0.25, 0.5, -1, 2],
  [-40, 1000, 3, 7, 8],
  [1, ...Array(62).fill(1), 0],
];

test.each(groups)('an advantage as printed is that of its returns', (...returns) => {
  const group = groupOf(returns);
  const { formula } = cards.find(([name]) => name === 'grpo advantage.mean-std')![1];
  const read: { [source: string]: number } = {
    'token.advantage': group.advantage,
    'episode.return': returns[0],
    'group.mean': group.mean,
    'group.std': group.std,
    'setting.advantageEpsilon': group.epsilon,
  };
  const [line] = readLines(formula, (source) => read[source]);
  const at = line.findIndex((each) => each === '=' || each === '≈');
  const [left, right] = [computed(line.slice(0, at)), computed(line.slice(at + 1))];
  expect(left).not.toBeNaN();
  // Numbers are printed with four digits, and the difference of two near numbers has only two correct ones.
  expect(Math.abs(left - right)).toBeLessThan(0.01 * Math.abs(left));
  if (line[at] === '=') expect(Math.abs(left - right)).toBeLessThan(1e-6);
});

test('a line that its numbers contradict is drawn with symbols', () => {
  const { formula } = cards.find(([name]) => name === 'grpo reward')![1];
  const drawn = (last: number) => readLines(formula, (source) => (source === 'episode.return' ? 1 : last))[0].join(' ');
  expect(drawn(1)).toBe('1 = 1');
  expect(drawn(0)).toBe('R_ = r_');
});

test.each(groups)('the arithmetic of a group is true as it is printed', (...returns) => {
  const group = groupOf(returns);
  const byStd = printedAdvantage({ score: returns[0], advantage: group.advantage }, group, true)!;
  const read = (text: string) => Number(text.replace('−', '-'));
  const value = (read(byStd.score) - read(byStd.mean)) / Number(byStd.std);
  expect(value.toFixed(2).replace('-', '−')).toBe(byStd.result.replace('+', ''));
  const plain = { score: returns[0], advantage: returns[0] - group.mean };
  const { score, mean, std, result } = printedAdvantage(plain, group, false)!;
  expect(std).toBeUndefined();
  expect((read(score) - read(mean)).toFixed(2).replace('-', '−')).toBe(result.replace('+', ''));
});

test('no arithmetic is printed where it would be false', () => {
  expect(printedAdvantage({ score: 1, advantage: 3 }, { mean: 0.5, std: 0.5 }, true)).toBeNull();
});
