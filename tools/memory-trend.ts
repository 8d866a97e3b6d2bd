/**
 * Growth of a process's memory, estimated from many samples, with an interval that separates growth from noise. The
 * samples are taken after a forced garbage collection: without one, the memory of the page in training varies by a
 * tenth with the speed of the machine, which decides how much garbage waits.
 */

import { median } from '../src/envs/median.ts';
import { Random } from '../src/envs/random.ts';
import { mostGrowth } from './memory.ts';

export interface MemorySample {
  minute: number;
  mb: number;
  /** Samples of one block depend on each other: those of one life of the process, or of one span of time. */
  block: number;
}

/**
 * `flat` and `grown` if the whole interval is on one side of the bound; otherwise the samples are too few, or their time
 * is too short, to tell.
 */
export type Verdict = 'flat' | 'grown' | 'unclear';

export interface Trend {
  what: string;
  samples: number;
  /** Medians of the first, second and last third of the time, in MB. */
  thirds: readonly number[];
  /** Growth over a third of the time, as a share of the level. */
  growth: number;
  /** 95% interval of the growth. */
  interval: readonly [low: number, high: number];
  /** The growth and its bound, in MB a minute: less growth than the bound is not found in so short a time. */
  perMinute: { growth: number; bound: number };
  verdict: Verdict;
}

const resamples = 400;
/** Number of blocks below which an interval is not reliable. */
const fewest = 6;

/** A block's time and memory. */
interface Point {
  minute: number;
  mb: number;
}

/** The median sample of each block. */
function blockMedians(samples: readonly MemorySample[]): Point[] {
  return [...new Set(samples.map(({ block }) => block))].map((one) => {
    const own = samples.filter(({ block }) => block === one);
    return { minute: median(own.map(({ minute }) => minute)), mb: median(own.map(({ mb }) => mb)) };
  });
}

/** Median of the slopes between all pairs of points (Theil 1950, Sen 1968), in MB a minute. */
function slopeOf(points: readonly Point[]): number {
  const slopes: number[] = [];
  for (const [i, a] of points.entries())
    for (const b of points.slice(i + 1)) if (b.minute !== a.minute) slopes.push((b.mb - a.mb) / (b.minute - a.minute));
  return median(slopes);
}

/** Slopes of points drawn again with replacement, sorted. */
function drawnSlopes(points: readonly Point[]): number[] {
  const random = new Random(1);
  return Array.from({ length: resamples }, () => slopeOf(points.map(() => random.pick(points)))).sort((a, b) => a - b);
}

/**
 * The first third of the time is left out of the growth: memory settles in it. `level` is the memory, in MB, of which
 * the growth is a share; the median of the samples if it is not given.
 */
export function trendOf(what: string, samples: readonly MemorySample[], level?: number): Trend {
  const [first, last] = [samples[0]?.minute ?? 0, samples.at(-1)?.minute ?? 0];
  const third = (last - first) / 3;
  const thirds = [0, 1, 2].map((k) =>
    median(
      samples
        .filter(({ minute }) => minute >= first + k * third && (k === 2 || minute < first + (k + 1) * third))
        .map(({ mb }) => mb),
    ),
  );
  const settled = blockMedians(samples.filter(({ minute }) => minute >= first + third));
  const whole = level ?? median(settled.map(({ mb }) => mb));
  const share = (slope: number) => (whole ? (slope * third) / whole : 0);
  const drawn = drawnSlopes(settled).map(share);
  const [low, high] = [drawn[Math.floor(0.025 * resamples)], drawn[Math.ceil(0.975 * resamples) - 1]];
  const [slope, bound] = [slopeOf(settled), mostGrowth - 1];
  const isEnough = settled.length >= fewest;
  return {
    what,
    samples: samples.length,
    thirds,
    growth: share(slope),
    interval: [low, high],
    perMinute: { growth: slope, bound: third ? (bound * whole) / third : 0 },
    verdict: isEnough && high <= bound ? 'flat' : isEnough && low > bound ? 'grown' : 'unclear',
  };
}

/** One word for several trends: `grown` if any has grown, else `unclear` if any is. */
export function worstOf(trends: readonly Trend[]): Verdict {
  const has = (verdict: Verdict) => trends.some((trend) => trend.verdict === verdict);
  return has('grown') ? 'grown' : has('unclear') ? 'unclear' : 'flat';
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
const verdictWords: { readonly [verdict in Verdict]: string } = {
  flat: 'yes',
  grown: 'no',
  unclear: 'too short to tell',
};

/** Head of a table of trends, and its rows. */
export const trendTable = (
  trends: readonly Trend[],
) => `| memory | samples | medians of thirds, MB | growth | MB a minute (bound) | flat |
|---|---|---|---|---|---|
${trends.map(rowOf).join('\n')}`;

function rowOf({ what, samples, thirds, growth, interval, perMinute, verdict }: Trend): string {
  const medians = thirds.map((mb) => mb.toFixed(0)).join(', ');
  const rate = `${perMinute.growth.toFixed(2)} (${perMinute.bound.toFixed(1)})`;
  return `| ${what} | ${samples} | ${medians} | ${percent(growth)} [${interval.map(percent).join(', ')}] | ${rate} | ${verdictWords[verdict]} |`;
}

const everyMs = 10_000;
/** Number of blocks of one process's samples. */
const blocks = 30;

export interface Sampled<T> {
  minute: number;
  block: number;
  value: T;
}

/** Samples every few seconds until `until`; values of null are left out. */
export async function sampledUntil<T>(read: () => T | null | Promise<T | null>, until: number): Promise<Sampled<T>[]> {
  const began = Date.now();
  const blockMs = (until - began) / blocks;
  const samples: Sampled<T>[] = [];
  while (Date.now() < until) {
    const ms = Date.now() - began;
    const value = await read();
    if (value !== null) samples.push({ minute: ms / 60_000, block: Math.floor(ms / blockMs), value });
    await new Promise((resolve) => setTimeout(resolve, Math.min(everyMs, Math.max(0, until - Date.now()))));
  }
  return samples;
}

export async function sampledTrend(
  what: string,
  read: () => number | null | Promise<number | null>,
  until: number,
): Promise<Trend> {
  const samples = await sampledUntil(read, until);
  return trendOf(
    what,
    samples.map(({ value, ...at }) => ({ ...at, mb: value })),
  );
}
