// Progress of a step: elapsed and remaining time, and few reports a second.
import { expect, it } from 'vitest';
import { ProgressMeter } from '../../src/session/progress-meter.ts';
import type { Progress } from '../../src/session/protocol.ts';

function metered() {
  let now = 0;
  const sent: (Progress | null)[] = [];
  const meter = new ProgressMeter(
    (progress) => sent.push(progress),
    () => now,
  );
  const at = (ms: number) => {
    now = ms;
    return meter;
  };
  return { meter, at, sent, last: () => sent.at(-1)! };
}

const episodes = (done: number, more: Partial<Progress> = {}): Progress => ({
  what: 'episodes',
  done,
  total: 8,
  unit: 'episodes',
  ...more,
});
const updates = (done: number, total = 4): Progress => ({ what: 'updates', done, total, unit: 'slices' });

it('estimates the time left from the share that is done, once there is enough to go by', () => {
  const { at, last } = metered();
  at(0).report(episodes(0));
  expect(last()).toMatchObject({ elapsedMs: 0, remainingMs: null });
  at(1000).report(episodes(1));
  expect(last()).toMatchObject({ remainingMs: null });
  at(10_000).report(episodes(2));
  expect(last()).toMatchObject({ elapsedMs: 10_000, remainingMs: 30_000 });
  // A share finer than the count.
  at(20_000).report(episodes(2, { fraction: 0.5 }));
  expect(last()).toMatchObject({ done: 2, remainingMs: 20_000 });
});

it('counts the time down during a piece of work that reports nothing, and never below zero', () => {
  const { at, last } = metered();
  at(0).report(updates(0));
  at(10_000).report(updates(1));
  expect(last()).toMatchObject({ remainingMs: 30_000 });
  at(15_000).tick();
  expect(last()).toMatchObject({ done: 1, elapsedMs: 15_000, remainingMs: 25_000 });
  at(60_000).tick();
  expect(last()).toMatchObject({ elapsedMs: 60_000, remainingMs: 0 });
});

it('estimates a second wave of the same task anew', () => {
  const { at, last } = metered();
  at(0).report(episodes(0));
  at(40_000).report(episodes(8));
  expect(last()).toMatchObject({ remainingMs: 0 });
  at(41_000).report(episodes(0));
  expect(last()).toMatchObject({ elapsedMs: 41_000, remainingMs: null });
  at(51_000).report(episodes(2));
  expect(last()).toMatchObject({ elapsedMs: 51_000, remainingMs: 30_000 });
});

it('adds the time of the tasks that followed in the step before', () => {
  const { at, meter, last } = metered();
  at(0).report(episodes(0));
  at(40_000).report(updates(0));
  at(60_000);
  meter.endStep();
  at(60_000).report(episodes(0));
  at(80_000).report(episodes(4));
  expect(last()).toMatchObject({ what: 'episodes', remainingMs: 20_000 + 20_000 });
  at(100_000).report(updates(0));
  at(110_000).report(updates(2));
  expect(last()).toMatchObject({ what: 'updates', remainingMs: 10_000 });
});

it('passes on each new task or count at once, and ten other reports a second', () => {
  const { at, sent, last } = metered();
  for (let ms = 0; ms <= 1000; ms += 10) at(ms).report(episodes(0, { tokens: ms }));
  expect(sent).toHaveLength(11);
  at(1010).report(episodes(0, { tokens: 1010 }));
  expect(last()).toMatchObject({ tokens: 1000 });
  at(1020).report(updates(0));
  expect(last()).toMatchObject({ what: 'updates' });
  at(1030).report(updates(1));
  expect(last()).toMatchObject({ done: 1 });
  at(1040).report(episodes(0, { tokens: 1040 }));
  at(1045).report(episodes(0, { tokens: 1045 }));
  at(1048).tick();
  expect(last()).toMatchObject({ tokens: 1045 });
  at(1050).report(null);
  expect(last()).toBeNull();
});
