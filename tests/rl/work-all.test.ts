import { setImmediate as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { workAll } from '../../src/rl/common/work-all.ts';

describe('workAll', () => {
  it('works on all items in order, so many at a time', async () => {
    const begun: number[] = [];
    const slots = new Set<number>();
    let [busy, most] = [0, 0];
    await workAll([0, 1, 2, 3, 4, 5, 6], 3, async (item, slot) => {
      begun.push(item);
      slots.add(slot);
      most = Math.max(most, ++busy);
      for (let turn = 0; turn <= item % 3; turn++) await pause();
      busy--;
    });
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect([most, busy, slots.size]).toEqual([3, 0, 3]);
  });

  it('begins none after a failure, and waits for those begun', async () => {
    const [begun, ended]: number[][] = [[], []];
    const work = workAll([0, 1, 2, 3, 4], 2, async (item) => {
      begun.push(item);
      await pause();
      if (item === 1) throw new Error('the second fails');
      await pause();
      ended.push(item);
    });
    await expect(work).rejects.toThrow('the second fails');
    expect([begun, ended]).toEqual([[0, 1], [0]]);
  });
});
