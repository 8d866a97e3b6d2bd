/**
 * The algorithms' table: for each algorithm, over its seeds, success at the end minus chance with its interval, the
 * share of GRPO's gain, and the requirements. Pure functions of the cells' results.
 */
import { three } from '../../src/cli/report.ts';
import { groupBy } from '../../src/rl/common/numbers.ts';
import { type Rate, rateOf } from '../../src/rl/evaluation/evaluation.ts';
import { type CellResult, tuned } from './cells.ts';

/** Share of GRPO's gain that each algorithm should reach, and number of algorithms that may miss it. */
const NEEDED_SHARE = 0.8;
const MISSES = 3;
/**
 * PPO's critic must explain more than this share of the returns' variance, averaged over the last fifth of the steps.
 */
const NEEDED_VARIANCE = 0.3;

/** A difference of two rates with its 95% interval. */
export interface Gain {
  mean: number;
  low: number;
  high: number;
}

export interface Row {
  algorithm: string;
  seeds: number[];
  chance: number;
  end: number;
  gain: Gain;
  /** Gain of each seed by itself. */
  gains: number[];
  heldOut: Gain;
  /** Share of GRPO's gain with the same seeds; null if GRPO lacks any of them. */
  share: number | null;
  explainedVariance: number | null;
  seconds: number;
}

/**
 * Newcombe's interval of a difference of rates, from their Wilson intervals (Newcombe 1998, Statistics in Medicine 17,
 * method 10). It covers the variation of episodes only; `Row.gains` shows how far seeds differ.
 */
export function difference(ours: Rate, theirs: Rate): Gain {
  const mean = ours.rate - theirs.rate;
  return {
    mean,
    low: mean - Math.hypot(ours.rate - ours.low, theirs.high - theirs.rate),
    high: mean + Math.hypot(ours.high - ours.rate, theirs.rate - theirs.low),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;

/** Rate over the episodes of all seeds together. */
const pooled = (rates: readonly Rate[]) =>
  rateOf(sum(rates.map(({ successes }) => successes)), sum(rates.map(({ episodes }) => episodes)));

const gainOf = (results: readonly CellResult[], split: 'train' | 'test') =>
  difference(pooled(results.map(({ end }) => end[split].policy)), pooled(results.map(({ end }) => end[split].chance)));

function lastFifth(results: readonly CellResult[]): number | null {
  const parts = results.flatMap(({ explainedVariance: list = [] }) => list.slice(Math.floor(list.length * 0.8)));
  return parts.length ? mean(parts) : null;
}

function rowOf(results: readonly CellResult[], yardstick: readonly CellResult[]): Row {
  const seeds = results.map(({ seed }) => seed);
  const same = yardstick.filter(({ seed }) => seeds.includes(seed));
  const gain = gainOf(results, 'train');
  return {
    algorithm: results[0].algorithm,
    seeds,
    chance: pooled(results.map(({ end }) => end.train.chance)).rate,
    end: pooled(results.map(({ end }) => end.train.policy)).rate,
    gain,
    gains: results.map((each) => gainOf([each], 'train').mean),
    heldOut: gainOf(results, 'test'),
    share: same.length === seeds.length ? gain.mean / gainOf(same, 'train').mean : null,
    explainedVariance: lastFifth(results),
    seconds: mean(results.map(({ seconds }) => seconds)),
  };
}

/** One row per algorithm, in the order of the results. */
export function rowsOf(results: readonly CellResult[]): Row[] {
  const names = [...new Set(results.map(({ algorithm }) => algorithm))];
  const of = (name: string) => results.filter(({ algorithm }) => algorithm === name);
  return names.map((name) => rowOf(of(name), of('grpo')));
}

const formatGain = ({ mean: value, low, high }: Gain) => `${three(value)} [${three(low)}, ${three(high)}]`;
const formatShare = (share: number | null) => (share === null ? '-' : `${Math.round(100 * share)}%`);
const missed = ({ share }: Row) => share !== null && share < NEEDED_SHARE;
const containsChance = ({ gain }: Row) => gain.low <= 0;

export function rowLine(row: Row): string {
  const explained = row.explainedVariance === null ? '' : `, explained variance ${three(row.explainedVariance)}`;
  const chance = containsChance(row) ? ', THE INTERVAL CONTAINS CHANCE' : '';
  return (
    `${row.algorithm.padEnd(22)} seeds ${row.seeds.join(',')}  end - chance ${formatGain(row.gain)}  ${formatShare(row.share)} of GRPO's  ` +
    `held-out ${formatGain(row.heldOut)}${explained}${chance}${missed(row) ? `, BELOW ${100 * NEEDED_SHARE}%` : ''}`
  );
}

/** Checks the requirements on the whole table, a line each. */
export function judgeTable(rows: readonly Row[]): { ok: boolean; line: string }[] {
  const low = rows.filter(missed).map(({ algorithm }) => algorithm);
  const lost = rows.filter(containsChance).map(({ algorithm }) => algorithm);
  const critics = rows.filter(({ explainedVariance }) => explainedVariance !== null);
  const finding = (ok: boolean, line: string) => ({ ok, line: `${line}: ${ok ? 'ok' : 'NOT REACHED'}` });
  return [
    finding(
      low.length <= MISSES,
      `below ${100 * NEEDED_SHARE}% of GRPO's gain: ${low.join(', ') || 'none'}; allowed: at most ${MISSES}`,
    ),
    finding(lost.length === 0, `interval contains chance: ${lost.join(', ') || 'none'}; allowed: none`),
    ...critics.map(({ algorithm, explainedVariance }) =>
      finding(
        explainedVariance! > NEEDED_VARIANCE,
        `${algorithm} explains ${three(explainedVariance!)} of the returns' variance over the last fifth of its steps; needed ${NEEDED_VARIANCE}`,
      ),
    ),
  ];
}

function markdownRow(row: Row): string {
  const cells = [
    row.algorithm,
    row.seeds.join(', '),
    three(row.chance),
    three(row.end),
    formatGain(row.gain),
    row.gains.map(three).join(', '),
    formatShare(row.share),
    formatGain(row.heldOut),
    row.explainedVariance === null ? '' : three(row.explainedVariance),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Algorithms whose runs have identical results for every seed. */
function alike(rows: readonly Row[]): string[] {
  const groups = groupBy(rows, ({ gains, heldOut }) => JSON.stringify([gains, heldOut]));
  return [...groups.values()]
    .filter((same) => same.length > 1)
    .map((same) => same.map(({ algorithm }) => algorithm).join(' = '));
}

/** Page for the documentation. */
export function markdown(rows: readonly Row[], { steps, episodes }: { steps: number; episodes: number }): string {
  const departures = Object.entries(tuned).filter(([name]) => rows.some(({ algorithm }) => algorithm === name));
  return [
    '# Gains of the algorithms',
    '',
    `\`npm run test:algorithms\` wrote this page: the setting of [textcraft-first](../experiments/textcraft-first.json), ${steps} steps of ${episodes} episodes, a tiny`,
    'policy from random weights, on the WebAssembly device. Algorithms that learn from demonstrations use as many episodes as the others play.',
    'Gain: sampled success on training goals after the last step, minus that of chance, with a 95% interval over the episodes of all seeds',
    "together (Newcombe's, of Wilson's intervals). An algorithm has its own defaults, from its source, except for the settings below the table.",
    '',
    "| algorithm | seeds | chance | end | gain | of each seed | of GRPO's | gain on held-out goals | explained variance |",
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map(markdownRow),
    '',
    ...judgeTable(rows).map(({ line }) => `- ${line}`),
    ...alike(rows).map(
      (names) =>
        `- ${names}: the same runs. A step here is one update by the policy that played, so that every ratio is 1: methods that differ in ratio and clip alone coincide.`,
    ),
    ...(departures.length ? ['', '## Settings other than the defaults', ''] : []),
    ...departures.map(([name, { why }]) => `- **${name}**: ${why}`),
    '',
  ].join('\n');
}
