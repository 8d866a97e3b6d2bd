/** Steps of a long run whose episodes are kept: the one that a click, a key, a button or an address leads to. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nearestStep } from '../../src/library/nearest-step.ts';
import { Navigation } from '../../src/ui/control/navigation.ts';
import { mockRecords, mockSummary } from '../../src/ui/gallery/mock-data.ts';
import { keptPositions, neighbourStep } from '../../src/ui/state/kept-steps.ts';
import { Store } from '../../src/ui/state/state.ts';

beforeEach(() => {
  vi.stubGlobal('location', { hash: '', pathname: '/', search: '' });
  vi.stubGlobal('history', { state: null, pushState: () => {}, replaceState: () => {} });
});

afterEach(() => void vi.unstubAllGlobals());

test('a click goes to the nearest kept step, the keys to the next', () => {
  const kept = [2, 4, 60, 61];
  expect([1, 3, 5, 40, 100].map((step) => nearestStep(kept, step))).toEqual([2, 4, 4, 60, 61]);
  expect(nearestStep([], 7)).toBe(7);
  expect([neighbourStep(kept, 4, 1), neighbourStep(kept, 4, -1), neighbourStep(kept, 61, 1)]).toEqual([60, 2, 61]);
});

test('a key that moves by several steps goes at least to the next kept one', () => {
  const kept = [50, 100, 150, 152, 154, 156, 158, 160];
  const from = (step: number) => [10, -10].map((by) => neighbourStep(kept, step, by));
  expect([from(100), from(150), from(160), from(50)]).toEqual([
    [150, 50],
    [160, 100],
    [160, 150],
    [100, 50],
  ]);
  expect(neighbourStep([], 7, 1)).toBe(7);
});

/** The mock run with 60 steps of which every tenth is kept, and the requests to the trainer for its kept steps. */
function opened(step: number, kept = [10, 20, 30, 40, 50, 60]) {
  const store = new Store();
  const run = mockSummary('run-1', 'a', 60);
  store.set({ run, records: mockRecords(60), kept });
  const requests: string[] = [];
  const api = {
    trajectorySteps: async (id: string) => {
      requests.push(id);
      return kept;
    },
    stepDetail: async (_run: string, step: number) => ({ step, trajectories: [] }),
    tokenTexts: async () => [],
  };
  const navigation = new Navigation(store, () => api as never);
  store.set({ selection: { ...store.state.selection, run: run.id, step, tab: 'evaluate' } });
  return { store, navigation, requests, selected: () => store.state.selection.step };
}

test('buttons and the keys of a chart leave a kept step; a click near it does not', () => {
  const { navigation, selected } = opened(40);
  navigation.moveStep(1);
  expect(selected()).toBe(50);
  navigation.chooseStep({ step: 49, by: -1 });
  expect(selected()).toBe(40);
  navigation.chooseStep({ step: 41, by: 0 }, { tab: 'evaluate' });
  expect(selected()).toBe(40);
  navigation.chooseStep({ step: 60, by: 0 });
  expect(selected()).toBe(60);
});

test('a closer look is at the newest kept step with a group to compare', async () => {
  const { store, navigation, selected } = opened(10);
  const without = (steps: number[]) =>
    store.set({
      records: mockRecords(60).map((each) => ({
        ...each,
        metrics: { ...each.metrics, groupsWithoutSignal: steps.includes(each.step) ? 1 : 0.5 },
      })),
    });
  without([50, 60]);
  await navigation.lookCloser();
  expect([selected(), store.state.selection.tab]).toEqual([40, 'group']);
  // All groups of all kept steps succeed or fail as a whole.
  without([10, 20, 30, 40, 50, 60]);
  await navigation.lookCloser();
  expect(selected()).toBe(60);
});

test('without kept episodes the keys move through the steps of the curves', () => {
  const { navigation, selected } = opened(60, []);
  navigation.moveStep(-10);
  expect(selected()).toBe(50);
  navigation.moveStep(30);
  expect(selected()).toBe(60);
});

test('a step from an address becomes the nearest kept one, from the steps that are known', async () => {
  const { navigation, requests, selected } = opened(37);
  navigation.toKeptStep();
  expect([selected(), requests]).toEqual([40, []]);
  await navigation.loadKept();
  expect([selected(), requests]).toEqual([40, ['run-1']]);
});

test('kept steps are marked at their place on the axis, unless every step is kept', () => {
  const records = [0, 1, 2, 3, 4].map((step) => ({ step }));
  const seconds = [0, 10, 20, 30, 40];
  expect(keptPositions(records, seconds, [2, 4])).toEqual([20, 40]);
  expect(keptPositions(records, seconds, [1, 2, 3, 4])).toEqual([]);
  expect(keptPositions(records, seconds, [])).toEqual([]);
});
