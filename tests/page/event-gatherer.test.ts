/** Collected events of the trainer: replaced ones dropped, at most ten deliveries a second. */
import { describe, expect, test } from 'vitest';
import type { SessionEvent } from '../../src/session/protocol.ts';
import { withoutReplaced as compactEvents, Gatherer } from '../../src/ui/control/event-gatherer.ts';

describe('collecting events', () => {
  const live = (turn: number): SessionEvent => ({
    type: 'live',
    runId: 'a',
    live: { step: 1, group: 0, member: 0, turn, action: '', observation: '', reward: 0, done: false, view: null },
  });
  const step = (number: number): SessionEvent => ({
    type: 'step',
    runId: 'a',
    record: { step: number, stage: 1, metrics: {} },
  });
  const progress = (done: number): SessionEvent => ({
    type: 'progress',
    runId: 'a',
    progress: { what: 'x', done, total: 9, unit: 'steps' },
  });

  test('keeps every step, and only the newest of events that replace each other', () => {
    expect(compactEvents([progress(1), step(1), progress(2), step(2)])).toEqual([step(1), progress(2), step(2)]);
  });

  test('cuts the live episode to its last turns', () => {
    const kept = compactEvents(Array.from({ length: 500 }, (_, turn) => live(turn)));
    expect(kept).toHaveLength(64);
    expect(kept.at(-1)).toEqual(live(499));
  });

  test('draws nothing on a hidden page, and delivers at most ten times a second', () => {
    let [hidden, now] = [false, 0];
    const due: { at: number; run(): void }[] = [];
    const delivered: SessionEvent[][] = [];
    const gatherer = new Gatherer({
      hidden: () => hidden,
      later: (run, ms) => due.push({ at: now + ms, run }),
      deliver: (events) => delivered.push(events),
    });
    const advance = (to: number) => {
      for (; now < to; now++) {
        gatherer.add(live(now));
        for (const each of due.splice(0))
          if (each.at <= now) each.run();
          else due.push(each);
      }
    };
    advance(1000);
    expect(delivered.length).toBeGreaterThan(5);
    expect(delivered.length).toBeLessThanOrEqual(10);
    hidden = true;
    const before = delivered.length;
    gatherer.add(step(1));
    advance(3000);
    expect(delivered.length).toBe(before);
    hidden = false;
    gatherer.wake();
    advance(3200);
    expect(delivered[before]).toContainEqual(step(1));
    expect(delivered[before].length).toBeLessThanOrEqual(65);
  });
});
