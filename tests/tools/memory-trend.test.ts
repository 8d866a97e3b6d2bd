/** The measure of memory over time must find planted growth, and must not take noise for growth. */
import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { Random } from '../../src/envs/random.ts';
import { collectedMb, collecting, growthOf, residentMb } from '../../tools/memory.ts';
import { type MemorySample, trendOf } from '../../tools/memory-trend.ts';

/** A bell curve with a standard deviation of 1. */
const bell = (random: Random) => Array.from({ length: 12 }, () => random.below(1e6) / 1e6).reduce((a, b) => a + b) - 6;

/**
 * An hour of samples around 400 MB: noise of each sample and of each span of two minutes (in MB), a start that settles,
 * and a leak in MB an hour.
 */
function hour(seed: number, leak: number, noise: number): MemorySample[] {
  const random = new Random(seed);
  const spans = Array.from({ length: 30 }, () => noise * bell(random));
  return Array.from({ length: 360 }, (_, k) => {
    const [minute, block] = [k / 6, Math.floor(k / 12)];
    const settling = 80 * Math.exp(-minute / 3);
    return { minute, block, mb: 400 - settling + spans[block] + noise * bell(random) + (leak * minute) / 60 };
  });
}

const trends = (leak: number, noise: number) =>
  Array.from({ length: 20 }, (_, seed) => trendOf('a process', hour(seed + 1, leak, noise)));

it('calls memory flat that only varies', () => {
  for (const { isFlat, isCertain, interval } of trends(0, 10)) {
    expect([isFlat, isCertain]).toEqual([true, true]);
    expect(interval[0]).toBeLessThan(interval[1]);
  }
});

it('finds a leak of a sixth in each third', () => {
  for (const { isFlat, isCertain, growth } of trends(240, 10)) {
    expect([isFlat, isCertain]).toEqual([false, true]);
    // 80 MB a third, of a level of 560 MB.
    expect(growth).toBeCloseTo(80 / 560, 1);
  }
});

it('covers the planted growth with its interval about as often as it says', () => {
  const truth = (40 * 20) / 60 / (400 + (40 * 40) / 60);
  const covered = trends(40, 20).filter(({ interval: [low, high] }) => low <= truth && truth <= high);
  expect(covered.length).toBeGreaterThanOrEqual(16);
});

it('is not certain about a few samples of much noise', () => {
  const few = hour(1, 0, 60).filter((_, k) => k % 60 === 0);
  expect(trendOf('a process', few).isCertain).toBe(false);
  expect(trendOf('a process', [])).toMatchObject({ isFlat: false, samples: 0 });
});

it('is right where medians of thirds err on the same noise', () => {
  const medians = Array.from({ length: 20 }, (_, seed) => {
    const thirds = hour(seed + 1, 0, 50).map(({ mb }) => mb);
    return growthOf('a process', thirds).isFlat;
  });
  const wrong = trends(0, 50).filter(({ isFlat }) => !isFlat).length;
  expect(wrong).toBeLessThanOrEqual(medians.filter((isFlat) => !isFlat).length);
  // A sure error is worse than an unsure one.
  expect(trends(0, 50).filter(({ isFlat, isCertain }) => !isFlat && isCertain)).toEqual([]);
});

it('reads the memory of a process after its garbage is collected', { timeout: 60_000 }, async () => {
  // Garbage of some 200 MB that only a forced collection removes, because nothing else is allocated after it.
  const code = `{ let old = Array.from({ length: 3e6 }, () => ({ a: 1 })); old = null; }
    setInterval(() => {}, 1000); console.log('ready');`;
  const child = spawn(process.execPath, [...collecting, '-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
  const plain = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log(1)'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await Promise.all([child, plain].map((each) => new Promise((resolve) => each.stdout.once('data', resolve))));
    const before = residentMb(child.pid)!;
    expect(await collectedMb(child.pid!)).toBeLessThan(before - 50);
    // A process without the handler is left alone.
    expect(await collectedMb(plain.pid!)).toBeNull();
    expect(plain.exitCode).toBeNull();
  } finally {
    child.kill();
    plain.kill();
  }
});
