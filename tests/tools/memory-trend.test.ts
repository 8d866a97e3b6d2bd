/** The measure of memory over time must find planted growth, and must not take noise for growth. */
import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { Random } from '../../src/envs/random.ts';
import { collectedMb, collecting, growthOf, mostGrowth, residentMb } from '../../tools/memory.ts';
import { type MemorySample, trendOf, worstOf } from '../../tools/memory-trend.ts';

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
  for (const { verdict, interval } of trends(0, 10)) {
    expect(verdict).toBe('flat');
    expect(interval[0]).toBeLessThan(interval[1]);
  }
});

it('finds a leak of a sixth in each third', () => {
  for (const { verdict, growth } of trends(240, 10)) {
    expect(verdict).toBe('grown');
    // 80 MB a third, of a level of 560 MB.
    expect(growth).toBeCloseTo(80 / 560, 1);
  }
});

it('covers the planted growth with its interval about as often as it says', () => {
  const truth = (40 * 20) / 60 / (400 + (40 * 40) / 60);
  const covered = trends(40, 20).filter(({ interval: [low, high] }) => low <= truth && truth <= high);
  expect(covered.length).toBeGreaterThanOrEqual(16);
});

it('cannot tell from a few samples of much noise', () => {
  const few = hour(1, 0, 60).filter((_, k) => k % 60 === 0);
  expect(trendOf('a process', few).verdict).toBe('unclear');
  expect(trendOf('a process', [])).toMatchObject({ verdict: 'unclear', samples: 0 });
});

/** Four minutes of a page's heaps around 40 MB, every ten seconds, with a leak in MB a minute. */
const minutes = (seed: number, leak: number) => {
  const random = new Random(seed);
  return Array.from({ length: 24 }, (_, k) => ({
    minute: k / 6,
    block: k,
    mb: 40 + 2 * bell(random) + (leak * k) / 6,
  }));
};

it('measures the growth of heaps as a share of the process', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const [control, planted] = [0, 60].map((leak) => trendOf('heaps', minutes(seed, leak), 350));
    expect([control.verdict, planted.verdict]).toEqual(['flat', 'grown']);
    // 10% of 350 MB in a third of 23 / 6 minutes.
    expect(planted.perMinute.bound).toBeCloseTo(35 / (23 / 18), 6);
    expect(planted.perMinute.growth).toBeGreaterThan(55);
    expect(planted.perMinute.growth).toBeLessThan(65);
  }
});

it('cannot tell a growth near the bound', () => {
  const bound = 35 / (23 / 18);
  const verdicts = Array.from({ length: 20 }, (_, seed) => trendOf('heaps', minutes(seed + 1, bound), 350).verdict);
  expect(verdicts.filter((verdict) => verdict === 'unclear').length).toBeGreaterThanOrEqual(16);
});

it('names the worst of several trends', () => {
  const [flat, grown, unclear] = [trendOf('a', hour(1, 0, 10)), trendOf('b', hour(1, 240, 10)), trendOf('c', [])];
  expect(worstOf([flat, unclear, grown])).toBe('grown');
  expect(worstOf([flat, unclear])).toBe('unclear');
  expect(worstOf([flat])).toBe('flat');
});

it('is right where medians of thirds err on the same noise', () => {
  const medians = Array.from({ length: 20 }, (_, seed) => {
    const thirds = hour(seed + 1, 0, 50).map(({ mb }) => mb);
    return growthOf('a process', thirds).isFlat;
  });
  const bound = mostGrowth - 1;
  const wrong = trends(0, 50).filter(({ growth }) => growth > bound).length;
  expect(wrong).toBeLessThanOrEqual(medians.filter((isFlat) => !isFlat).length);
  // A sure error is worse than an unsure one.
  expect(trends(0, 50).filter(({ verdict }) => verdict === 'grown')).toEqual([]);
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
