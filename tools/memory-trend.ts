/**
 * Growth of a process's memory, estimated from many samples, with an interval that separates growth from noise. The
 * samples are taken after a forced garbage collection: without one, the memory of the page in training varies by a
 * tenth with the speed of the machine, which decides how much garbage waits.
 */
import { Random } from '../src/envs/random.ts';
import { median, mostGrowth } from './memory.ts';

export interface MemorySample {
  minute: number;
  mb: number;
  /** Samples of one block depend on each other: those of one life of the process, or of one span of time. */
  block: number;
}

export interface Trend {
  what: string;
  samples: number;
  /** Medians of the first, second and last third of the time, in MB. */
  thirds: readonly number[];
  /** Growth over a third of the time, as a share of the median. */
  growth: number;
  /** 95% interval of the growth. */
  interval: readonly [low: number, high: number];
  isFlat: boolean;
  /** True if the whole interval is on one side of the bound. */
  isCertain: boolean;
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

/** The first third of the time is left out of the growth: memory settles in it. */
export function trendOf(what: string, samples: readonly MemorySample[]): Trend {
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
  const level = median(settled.map(({ mb }) => mb));
  const share = (slope: number) => (level ? (slope * third) / level : 0);
  const drawn = drawnSlopes(settled).map(share);
  const [low, high] = [drawn[Math.floor(0.025 * resamples)], drawn[Math.ceil(0.975 * resamples) - 1]];
  const [growth, bound] = [share(slopeOf(settled)), mostGrowth - 1];
  return {
    what,
    samples: samples.length,
    thirds,
    growth,
    interval: [low, high],
    isFlat: settled.length > 1 && growth <= bound,
    isCertain: settled.length >= fewest && (high <= bound || low > bound),
  };
}

const everyMs = 10_000;
/** Number of blocks of one process's samples. */
const blocks = 30;

/** Samples a process every few seconds until `until`; values of null are left out. */
export async function sampledTrend(
  what: string,
  read: () => number | null | Promise<number | null>,
  until: number,
): Promise<Trend> {
  const began = Date.now();
  const blockMs = (until - began) / blocks;
  const samples: MemorySample[] = [];
  while (Date.now() < until) {
    const ms = Date.now() - began;
    const mb = await read();
    if (mb !== null) samples.push({ minute: ms / 60_000, mb, block: Math.floor(ms / blockMs) });
    await new Promise((resolve) => setTimeout(resolve, Math.min(everyMs, Math.max(0, until - Date.now()))));
  }
  return trendOf(what, samples);
}
