// The choice between forms of the same work, on a device of known speed: its clock advances by the cost of the work.
import { expect, it } from 'vitest';
import { fastest } from '../../src/device/autotune.ts';

/**
 * Chooses between works that cost the given milliseconds each, on a device whose waits take `waitMs` more. Returns the
 * choice and the work in order.
 */
async function chosen(costs: { [name: string]: number | ((call: number) => number) }, waitMs = 0) {
  let ms = 0;
  let pending = 0;
  let settled = false;
  const done: string[] = [];
  const kernels = {
    async settle() {
      settled = true;
    },
  };
  const recorder = {
    dry: false,
    async finish() {
      ms += pending + waitMs;
      pending = 0;
    },
  };
  const candidates = Object.entries(costs).map(([name, cost]) => {
    let calls = 0;
    return {
      name,
      record() {
        done.push(recorder.dry ? `compile ${name}` : name);
        if (recorder.dry) return;
        expect(settled).toBe(true);
        pending += typeof cost === 'number' ? cost : cost(calls++);
      },
    };
  });
  return { ...(await fastest(kernels, recorder, candidates, () => ms)), done };
}

it('is the faster of two, whatever their order', async () => {
  expect((await chosen({ slow: 4, fast: 3 })).name).toBe('fast');
  expect((await chosen({ fast: 3, slow: 4 })).name).toBe('fast');
});

it('comes with the milliseconds of one call of each, without the wait', async () => {
  const { times } = await chosen({ slow: 0.5, fast: 0.125 }, 100);
  expect(times).toEqual([
    { form: 'slow', ms: 0.5 },
    { form: 'fast', ms: 0.125 },
  ]);
});

it('is the first unless another takes less than 93% of its time', async () => {
  expect((await chosen({ first: 100, other: 94 })).name).toBe('first');
  expect((await chosen({ first: 100, other: 92 })).name).toBe('other');
});

it('goes by the best of three rounds, so one slow round decides nothing', async () => {
  // Calls of each form at 10 ms: some to find the repeats, one to warm up, three rounds.
  const slowOnce = (call: number) => (call === 2 ? 1000 : 10);
  expect((await chosen({ first: 12, other: slowOnce })).name).toBe('other');
});

it('compiles every form first, and repeats short work until it takes four milliseconds', async () => {
  const { done } = await chosen({ first: 0.05, other: 0.05 });
  expect(done.slice(0, 2)).toEqual(['compile first', 'compile other']);
  // One to warm up; 1, 4, 16 and 64 times to find the repeats, which are at most 256; one more; three rounds.
  expect(done.filter((name) => name === 'first')).toHaveLength(1 + 1 + 4 + 16 + 64 + 1 + 3 * 256);
});

it('repeats short work although its first call takes long', async () => {
  // 64 calls of each take 5.1 and 0.6 ms: beside a wait of 100 ms they would look alike.
  const first = (ms: number) => (call: number) => (call === 0 ? 20 : ms);
  const { name, done } = await chosen({ slow: first(0.08), fast: first(0.01) }, 100);
  expect(name).toBe('fast');
  expect(done.filter((each) => each === 'slow').length).toBeGreaterThan(100);
});

it('is the first without a measurement of the others if one call takes over half a second', async () => {
  const { name, times, done } = await chosen({ first: 600, other: 1 });
  expect(name).toBe('first');
  expect(done).not.toContain('other');
  expect(times).toEqual([]);
});
