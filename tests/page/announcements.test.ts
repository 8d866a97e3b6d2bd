/** What a screen reader is given while a run trains. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Events } from '../../src/ui/control/events.ts';
import { Store } from '../../src/ui/state/state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const split = (rate: number) => ({ policy: { rate } });

test('evaluations in quick succession are announced at most every twenty seconds', () => {
  const announced: string[] = [];
  const [store, nothing] = [new Store(), { take() {}, stepArrived() {} }];
  const notifier = { announce: (text: string) => announced.push(text) };
  const parts = { navigation: nothing, sweep: nothing, evaluations: nothing };
  const events = new Events(...([store, notifier, parts] as unknown as ConstructorParameters<typeof Events>));
  store.set({ run: { id: 'a' } as never });
  for (let step = 1; step <= 100; step++) {
    const record = { step, metrics: {}, evaluation: { train: split(0.5), test: split(0.25) } };
    events.take([{ type: 'step', runId: 'a', record } as never]);
    vi.advanceTimersByTime(500);
  }
  expect(announced).toEqual([1, 42, 83].map((step) => expect.stringContaining(`Step ${step}: success 0.50`)));
});
