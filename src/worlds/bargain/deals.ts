/**
 * Pools of goods and what they are worth to each seat, as in the data set of Lewis et al. (2017): three kinds of goods,
 * all of them worth 10 to either seat, every kind worth something to a seat, and one kind worth something to both.
 */
import { Random } from '../../envs/random.ts';

export interface Deal {
  /** Names of the three kinds. */
  goods: readonly string[];
  /** Number of goods of each kind in the pool. */
  counts: readonly number[];
  /** Value of one good of each kind to the first and to the second seat. */
  values: readonly [readonly number[], readonly number[]];
}

/** Goods of TextCraft. */
export const goodsNames = [
  'oak planks',
  'stick',
  'iron ingot',
  'gold ingot',
  'diamond',
  'string',
  'leather',
  'paper',
] as const;

const KINDS = 3;
/** Value of the whole pool to either seat. */
export const TOTAL = 10;

export const worthOf = (counts: readonly number[], values: readonly number[]): number =>
  counts.reduce((sum, count, kind) => sum + count * values[kind], 0);

/** Every list with a whole number from 0 to each bound. */
export const listsUpTo = (bounds: readonly number[]): number[][] =>
  bounds.reduce<number[][]>(
    (lists, bound) => lists.flatMap((list) => Array.from({ length: bound + 1 }, (_, n) => [...list, n])),
    [[]],
  );

/** Values at which the pool is worth the total. */
const valuesOf = (counts: readonly number[]): number[][] =>
  listsUpTo(counts.map((count) => Math.floor(TOTAL / count))).filter((values) => worthOf(counts, values) === TOTAL);

/** Counts of at least one of each kind with this sum. */
function drawCounts(random: Random, items: number): number[] {
  const counts = new Array<number>(KINDS).fill(1);
  for (let k = KINDS; k < items; k++) counts[random.below(KINDS)]++;
  return counts;
}

const SEED = 0x6261726c;

/** The first `count` different deals over pools of this many goods. */
export function dealsOf(items: number, count: number): Deal[] {
  const random = new Random(SEED + items);
  /** Values by the counts of a pool. */
  const known = new Map<string, number[][]>();
  const deals = new Map<string, Deal>();
  while (deals.size < count) {
    const goods = random.shuffle([...goodsNames]).slice(0, KINDS);
    const counts = drawCounts(random, items);
    const all = known.get(counts.join()) ?? valuesOf(counts);
    known.set(counts.join(), all);
    const deal = { goods, counts, values: drawValues(random, counts, all) };
    deals.set(JSON.stringify(deal), deal);
  }
  return [...deals.values()];
}

/** Values of both seats: every kind is worth something to a seat, and one kind to both. */
function drawValues(random: Random, counts: readonly number[], all: readonly number[][]): Deal['values'] {
  for (;;) {
    const [first, second] = [random.pick(all), random.pick(all)];
    const isWanted = counts.every((_, kind) => first[kind] + second[kind] > 0);
    if (isWanted && counts.some((_, kind) => first[kind] * second[kind] > 0)) return [first, second];
  }
}
