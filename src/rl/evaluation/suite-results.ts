/**
 * Results of a suite: success and score of every try of every item, and from them the rates over all and by column, by
 * k, and against turns. Contains tries and items; playing them is elsewhere.
 */
import { type Measures, measured } from '../common/measured.ts';
import { mean } from '../common/numbers.ts';
import { type Comparison, compare, type Estimate, meanEstimate, passAtK, rateEstimate } from './statistics.ts';

/** One episode. */
export interface Try {
  success: boolean;
  score: number;
  /** Turns taken. */
  turns: number;
  /** True if the episode ended for lack of room for its tokens. */
  overflowed?: boolean;
  /** True if it counts as a failure for that; else the policy's result is unknown, and the try is left out. */
  overflowFails?: boolean;
  /** Reason, if the world failed: the try shows nothing about the policy. */
  failure?: string;
  /** Measures of a finished game; absent: its world has none. */
  measures?: Measures;
  /** Its number among the item's tries, in results that are kept before all of them are played. */
  member?: number;
}

/** An item with all its tries, and the results of chance and the oracle on it. */
export interface ItemResult {
  /** Name of the item: equal keys are equal tasks. */
  key: string;
  column: string;
  tries: readonly Try[];
  chance: readonly Try[];
  /** Null: the world has no oracle. */
  oracle: Try | null;
  /** Oracle that guesses hidden facts; absent: the suite has none. */
  guess?: Try;
}

export interface SuiteRow {
  /** A column's name, or "All". */
  label: string;
  items: number;
  success: Estimate;
  score: Estimate;
  chance: Estimate;
  oracle: Estimate | null;
  /** Absent: the suite has no hidden facts. */
  guess?: Estimate;
  /** Means of the finished games' measures, by metric; absent: the worlds measure none. */
  measures?: { [metric: string]: Estimate };
}

/** What an episode that ran out of room for its tokens means: nothing about the policy, or that it failed. */
export type OverflowRule = 'left-out' | 'failure';

/** The try under the rule. */
export const underRule = (one: Try, rule: OverflowRule = 'left-out'): Try =>
  one.overflowed && rule === 'failure' ? { ...one, success: false, overflowFails: true } : one;

/** True if a try shows something about the policy: its world did not fail, and it had room or fails for lack of it. */
export const isCounted = ({ failure, overflowed = false, overflowFails = false }: Try): boolean =>
  failure === undefined && (!overflowed || overflowFails);

/** The items with at least one such try, and only these. */
export const countedItems = (items: readonly ItemResult[]): ItemResult[] =>
  items.map((item) => ({ ...item, tries: item.tries.filter(isCounted) })).filter(({ tries }) => tries.length > 0);

const share = (tries: readonly Try[], counts: (one: Try) => boolean) =>
  tries.length ? tries.filter(counts).length / tries.length : 0;
const meanScore = (tries: readonly Try[]) =>
  tries.reduce((sum, { score }) => sum + score, 0) / Math.max(tries.length, 1);
const solved = ({ success }: Try) => success;

/** Means over items, each of which counts with the mean of its tries. */
function measuresIn(items: readonly ItemResult[]): { [metric: string]: Estimate } {
  const means = items.map(({ tries }) => {
    const values = Object.entries(measured(tries.map(({ measures }) => measures)));
    return Object.fromEntries(values.map(([name, each]) => [name, mean(each)]));
  });
  return Object.fromEntries(Object.entries(measured(means)).map(([name, each]) => [name, rateEstimate(each)]));
}

function rowOf(label: string, items: readonly ItemResult[]): SuiteRow {
  const known = items.every(({ oracle }) => oracle !== null) && items.length > 0;
  const measures = measuresIn(items);
  const guessed = items.every(({ guess }) => guess) && items.length > 0;
  return {
    label,
    items: items.length,
    success: rateEstimate(items.map(({ tries }) => share(tries, solved))),
    score: meanEstimate(items.map(({ tries }) => meanScore(tries))),
    chance: rateEstimate(items.filter(({ chance }) => chance.length > 0).map(({ chance }) => share(chance, solved))),
    oracle: known ? rateEstimate(items.map(({ oracle }) => Number(oracle!.success))) : null,
    ...(guessed && { guess: rateEstimate(items.map(({ guess }) => Number(guess!.success))) }),
    ...(Object.keys(measures).length > 0 && { measures }),
  };
}

/** One row per column, then all. Columns without a played item are left out. */
export function rowsOf(all: readonly ItemResult[], columns: readonly string[]): SuiteRow[] {
  const items = countedItems(all);
  const of = (column: string) => items.filter((item) => item.column === column);
  const rows = columns.filter((column) => of(column).length > 0).map((column) => rowOf(column, of(column)));
  return [...rows, rowOf('All', items)];
}

/** Powers of two up to the number of tries, and that number itself. */
export function ksUpTo(tries: number): number[] {
  const ks = [];
  for (let k = 1; k < tries; k *= 2) ks.push(k);
  return tries > 0 ? [...ks, tries] : [];
}

/** Unbiased pass@k over the items, for each k that their tries allow. */
export function passCurve(all: readonly ItemResult[]): { k: number; estimate: Estimate }[] {
  const items = countedItems(all);
  const tries = Math.min(...items.map((item) => item.tries.length));
  return ksUpTo(items.length ? tries : 0).map((k) => ({
    k,
    estimate: rateEstimate(items.map((item) => passAtK(item.tries.length, item.tries.filter(solved).length, k))),
  }));
}

/**
 * Success within a number of turns: the episode had succeeded by then. The policy itself played under the longer
 * horizon.
 */
export function turnCurve(
  all: readonly ItemResult[],
  turns: readonly number[],
): { turns: number; estimate: Estimate }[] {
  const items = countedItems(all);
  return turns.map((limit) => ({
    turns: limit,
    estimate: rateEstimate(items.map(({ tries }) => share(tries, (one) => one.success && one.turns <= limit))),
  }));
}

/** Two results contain different items. */
class DifferentItemsError extends Error {
  override name = 'DifferentItemsError';
}

/** Two policies on the same items, over all and by column. Items that one of them could not play are left out. */
export function comparisons(
  allOurs: readonly ItemResult[],
  theirs: readonly ItemResult[],
  columns: readonly string[],
): { label: string; comparison: Comparison }[] {
  const keys = new Set(theirs.map(({ key }) => key));
  const missing = allOurs.filter(({ key }) => !keys.has(key));
  if (missing.length > 0 || allOurs.length !== theirs.length)
    throw new DifferentItemsError(
      `The two evaluations have different items: ${missing.length} of ${allOurs.length} of the first are not among the ${theirs.length} of the second. Evaluate both on the same suite.`,
    );
  const other = new Map(countedItems(theirs).map((item) => [item.key, item]));
  const ours = countedItems(allOurs).filter(({ key }) => other.has(key));
  const rate = ({ tries }: ItemResult) => share(tries, solved);
  const pair = (items: readonly ItemResult[]) =>
    compare(
      items.map(rate),
      items.map(({ key }) => rate(other.get(key)!)),
    );
  const of = (column: string) => ours.filter((item) => item.column === column);
  const filled = columns.filter((column) => of(column).length > 0);
  return [...filled.map((label) => ({ label, comparison: pair(of(label)) })), { label: 'All', comparison: pair(ours) }];
}
