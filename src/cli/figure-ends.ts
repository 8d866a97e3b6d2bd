/** Variants of a sweep compared at their ends: all under the same horizon, with what each cost. Pure. */
import { mean } from '../rl/common/numbers.ts';
import { type Estimate, meanEstimate } from '../rl/evaluation/statistics.ts';
import { interval, percent, type Table } from '../rl/evaluation/tables.ts';

/** A trained run: its cost, and its success from 0 to 1 under the horizon that all share. */
export interface RunEnd {
  variant: string;
  seed: number;
  steps: number;
  /** Floating-point operations of all steps, a multiply-add counted as two. */
  operations: number;
  success: number;
}

const of = <E extends { variant: string }>(ends: readonly E[], name: string) =>
  ends.filter(({ variant }) => variant === name);

/** Values of `ours` less those of `theirs`, seed by seed: runs of the same seed have the same tasks. */
export function differenceBySeed(
  ends: readonly { variant: string; seed: number; value: number }[],
  ours: string,
  theirs: string,
): Estimate {
  const differences = of(ends, ours).flatMap(({ seed, value }) => {
    const other = of(ends, theirs).find((each) => each.seed === seed);
    return other ? [value - other.value] : [];
  });
  return meanEstimate(differences);
}

/** Success of `ours` less that of `theirs`. */
export const endDifference = (ends: readonly RunEnd[], ours: string, theirs: string): Estimate =>
  differenceBySeed(
    ends.map(({ variant, seed, success }) => ({ variant, seed, value: success })),
    ours,
    theirs,
  );

/** Names of the variants, in the order of the ends. The last is the one compared with the others. */
const namesOf = (ends: readonly RunEnd[]) => [...new Set(ends.map(({ variant }) => variant))];

/** A row for each variant. The last column is empty for the last variant. */
export function endTable(ends: readonly RunEnd[]): Table {
  const names = namesOf(ends);
  const last = names[names.length - 1];
  return {
    head: ['', 'steps', 'operations', 'success %', 'of each seed', `${last} less it, points`],
    rows: names.map((name) => {
      const own = of(ends, name);
      const each = own.map(({ success }) => success);
      return [
        name,
        String(own[0].steps),
        mean(own.map(({ operations }) => operations)).toExponential(2),
        interval(meanEstimate(each)),
        each.map(percent).join(', '),
        name === last ? '' : interval(endDifference(ends, last, name)),
      ];
    }),
  };
}

/** A sentence for each variant but the last. */
export function endLines(label: string, ends: readonly RunEnd[]): string[] {
  const names = namesOf(ends);
  const last = names[names.length - 1];
  return names.slice(0, -1).map((name) => {
    const found = endDifference(ends, last, name);
    return `${label}: ${last} less ${name}, success under the same horizon: ${interval(found)} points over ${found.items} seeds.`;
  });
}
