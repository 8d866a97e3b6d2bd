/** Answers of the trainer that come after the state has changed: of Navigation, Draft, KeptDraft and Notifier alone. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Draft } from '../../src/ui/control/draft.ts';
import { KeptDraft } from '../../src/ui/control/kept-draft.ts';
import { Navigation } from '../../src/ui/control/navigation.ts';
import { Notifier } from '../../src/ui/control/notifier.ts';
import { mockInspection } from '../../src/ui/gallery/inspection-mock.ts';
import { mockExperiment, mockRecords, mockStep, mockSummary } from '../../src/ui/gallery/mock-data.ts';
import { Store } from '../../src/ui/state/state.ts';

const stored = new Map<string, string>();

beforeEach(() => {
  stored.clear();
  vi.stubGlobal('location', { hash: '', pathname: '/', search: '' });
  vi.stubGlobal('history', { state: null, pushState: () => {}, replaceState: () => {} });
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key),
  });
});

afterEach(() => void vi.unstubAllGlobals());

/** An answer that comes when the test says so. */
function held<T>() {
  let answer!: (value: T) => void;
  let fail!: (error: Error) => void;
  const promise = new Promise<T>((resolve, reject) => {
    [answer, fail] = [resolve, reject];
  });
  return { promise, answer, fail };
}

/** The mock run of 42 steps in focus. */
function opened(api: object) {
  const store = new Store();
  const run = mockSummary('run-1', 'a', 42);
  store.set({ run, records: mockRecords(42) });
  store.set({ selection: { ...store.state.selection, run: run.id } });
  return { store, navigation: new Navigation(store, () => ({ tokenTexts: async () => [], ...api }) as never) };
}

test('a group is chosen once its step has arrived, also if the step was loading already', async () => {
  const detail = held<object>();
  const { store, navigation } = opened({ stepDetail: () => detail.promise });
  const trajectories = mockStep(30);
  const last = Math.max(...trajectories.map(({ group }) => group));
  const chosen = navigation.showGroup(30, ([first]) => first.group === last);
  // Without the texts, nothing but the step itself is waited for.
  await new Promise((resolve) => setTimeout(resolve));
  detail.answer({ step: 30, trajectories });
  await chosen;
  expect(last).toBeGreaterThan(0);
  expect(store.state.selection).toMatchObject({ step: 30, group: last });
});

test('steps that arrive while the kept ones are read stay', async () => {
  const steps = held<number[]>();
  const { store, navigation } = opened({ trajectorySteps: () => steps.promise });
  const reading = navigation.loadKept();
  navigation.stepArrived([43]);
  navigation.stepArrived([44]);
  // An earlier step can be chosen meanwhile.
  navigation.select({ step: 20 });
  expect(store.state.selection.step).toBe(20);
  steps.answer([10, 20, 42, 43]);
  await reading;
  navigation.stepArrived([45]);
  expect(store.state.kept).toEqual([10, 20, 42, 43, 44, 45]);
  expect(store.state.selection.step).toBe(20);
});

test('the update of a run that was closed meanwhile is not shown', async () => {
  const inspection = held<object>();
  const { store, navigation } = opened({ inspectStep: () => inspection.promise });
  const inspecting = navigation.inspectUpdate();
  navigation.forget();
  inspection.answer(mockInspection(30, 1));
  await inspecting;
  expect(store.state.inspection).toEqual({ state: 'none' });
});

test('a refusal of an earlier draft is no problem of the corrected one', async () => {
  vi.useFakeTimers();
  const plans = [held<object>(), held<object>()];
  const asked = [...plans];
  const store = new Store();
  store.set({ gpu: { supported: true } as never });
  const api = () => ({ plan: () => asked.shift()!.promise }) as never;
  const draft = new Draft(store, api, { notify: () => {} }, async () => {});
  draft.use(mockExperiment('a'));
  await vi.advanceTimersByTimeAsync(400);
  draft.edit('algorithm.groups', 5);
  plans[0].fail(new Error('This experiment cannot be run:\n  algorithm.groups: too many'));
  await vi.advanceTimersByTimeAsync(400);
  plans[1].answer({ parts: [], total: 1, fits: true, advice: '' });
  await vi.advanceTimersByTimeAsync(1);
  vi.useRealTimers();
  expect(asked).toEqual([]);
  expect([store.state.problems, store.state.plan.state]).toEqual([[], 'ready']);
});

test('what is typed while the page loads stays, and the kept changes are offered', () => {
  const preset = mockExperiment('a');
  const kept = { run: null, taken: preset, draft: { ...preset, seed: 7 }, preset: 'a' };
  stored.set('tabgym.draft', JSON.stringify(kept));
  const store = new Store();
  store.set({ presets: [preset] });
  const notices: string[] = [];
  const notifier = { notify: (_: string, message: string) => void notices.push(message) };
  const draft = new Draft(
    store,
    () => ({}) as never,
    notifier,
    async () => {},
  );
  const keptDraft = new KeptDraft(store, draft, notifier);
  draft.usePreset(0);
  draft.edit('seed', 3);
  keptDraft.restore();
  expect(store.state.draft?.seed).toBe(3);
  expect(notices).toEqual(['Your changes in the setup were replaced.']);
});

test('a call within another one leaves the buttons disabled until both have ended', async () => {
  const store = new Store();
  const notifier = new Notifier(store);
  const outer = held<void>();
  const calling = notifier.attempt('create', async () => {
    await notifier.attempt('open', async () => {});
    await outer.promise;
  });
  await new Promise((resolve) => setTimeout(resolve));
  expect(store.state.busy).toBe('create');
  outer.answer();
  await calling;
  expect(store.state.busy).toBe(null);
});
