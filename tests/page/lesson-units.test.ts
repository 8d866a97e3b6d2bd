/** Lessons without a browser: claims that can fail, answers that count once, and tasks that no stray click ends. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/machine.mjs';
import { nearestStep } from '../../src/library/nearest-step.ts';
import type { OpenedSweep, StepRecord } from '../../src/session/protocol.ts';
import { readRun } from '../../src/store/bundle.ts';
import { Lessons } from '../../src/ui/control/lessons.ts';
import { adapterRun } from '../../src/ui/control/shipped-runs.ts';
import { horizon } from '../../src/ui/lessons/horizon.ts';
import { languageModel } from '../../src/ui/lessons/language-model.ts';
import { lessons } from '../../src/ui/lessons/registry.ts';
import { type Claim, lessonContext } from '../../src/ui/state/lesson.ts';
import type { Progress } from '../../src/ui/state/lesson-progress.ts';
import { noSelection } from '../../src/ui/state/selection.ts';
import { type State, Store } from '../../src/ui/state/state.ts';
import { refutation, valuesOf } from '../lessons/claims.ts';

/** Records whose metrics are given by step. */
const recordsOf = (values: { [metric: string]: number[] }): StepRecord[] =>
  Object.values(values)[0].map((_, step) => ({
    step,
    stage: 1,
    metrics: Object.fromEntries(Object.entries(values).map(([name, each]) => [name, each[step]])),
  }));

describe('the check of a claim', () => {
  const records = recordsOf({ success: [0, 0.1, 0.2, 0.4, 0.6], chance: [0, 0.1, 0.1, 0.1, 0.1] });
  const runs = { of: async () => records };
  const late = { run: {}, of: 'success', steps: [-2, -1] } as const;
  const early = { run: {}, of: 'success', steps: [1, 2] } as const;

  test('passes a true one and refutes a false one with its numbers', async () => {
    const rises: Claim = { text: 'Success rises.', high: late, low: early, by: 0.3 };
    expect(await refutation(rises, runs)).toBeNull();
    expect(await refutation({ ...rises, by: 0.4 }, runs)).toBe('Success rises. 0.5000 is not at least 0.1500 + 0.4.');
    expect(await refutation({ text: 'Success falls.', high: early, low: late }, runs)).toMatch(/^Success falls\./);
  });

  test('reads steps from either end and subtracts at each step', () => {
    expect(valuesOf(late, records)).toEqual([0.4, 0.6]);
    expect(valuesOf({ ...early, minus: 'chance' }, records)).toEqual([0, 0.1]);
  });

  test('refuses a number that the run does not have', () => {
    expect(() => valuesOf({ ...late, of: 'succes' }, records)).toThrow('succes has no value from step 3 to 4.');
  });
});

/** Lessons over a store alone. */
function opened() {
  const store = new Store();
  let kept: Progress = { open: null, lessons: {} };
  const page = { store, notifier: { announce() {} } } as unknown as ConstructorParameters<typeof Lessons>[0];
  const control = new Lessons(page, async () => lessons, {
    read: () => kept,
    write: (progress) => {
      kept = progress;
    },
  });
  return { store, control, kept: () => kept };
}

describe('an answer', () => {
  test('counts at its first choice', () => {
    const { control, kept } = opened();
    control.answer('chance', 'half', 0);
    control.answer('chance', 'half', 1);
    expect(kept().lessons.chance.answers).toEqual({ half: 0 });
  });

  test('has an id of its own in its lesson', () => {
    for (const { id, parts, questions } of lessons) {
      const ids = [...parts.filter(({ ask }) => ask), ...questions].map((each) => each.id);
      expect([id, new Set(ids).size]).toEqual([id, ids.length]);
    }
  });
});

describe('lesson 8', () => {
  const compare = horizon.parts.find(({ id }) => id === 'compare')!;
  const sweep = {
    state: { done: 54, total: 54 },
    document: horizon.experiment,
    runs: [0.1, 0.5, 0.4].map((success, variant) => ({
      summary: { sweep: { variant } },
      records: recordsOf({ success: Array(19).fill(success), chance: Array(19).fill(0.1) }),
    })),
  } as unknown as OpenedSweep;

  test('a chosen step alone does not end the comparison; the answer does', () => {
    const { store } = opened();
    store.set({ sweep, wholeSweep: true, selection: { ...noSelection, step: 14 } });
    expect(compare.done(lessonContext(store.state))).toBe(false);
    store.set({ progressOfLessons: { horizon: { done: [], answers: { compare: 1 } } } });
    expect(compare.done(lessonContext(store.state))).toBe(true);
  });

  test.each([
    [{ sweep, wholeSweep: true, selection: { ...noSelection, step: 14 } }, true],
    [{ sweep, wholeSweep: false, selection: { ...noSelection, step: 14 } }, false],
    [{ sweep, wholeSweep: true, selection: { ...noSelection, step: 3 } }, false],
    [{ sweep: null, wholeSweep: true, selection: { ...noSelection, step: 14 } }, false],
  ])('asks only beside the three curves at a late step: %#', (state, asks) => {
    const { store } = opened();
    store.set(state);
    expect(compare.ask!.ready!(lessonContext(store.state))).toBe(asks);
  });

  test('an episode that is too short says so', () => {
    const { far, done } = horizon.parts.find(({ id }) => id === 'long')!;
    const at = (turns: number) => {
      const trajectory = { group: 0, member: 0, tokens: [], turns: Array(turns).fill({}), task: {} };
      const detail = { state: 'ready', value: { step: 1, trajectories: [trajectory] } } as unknown as State['detail'];
      const store = new Store();
      const run = { sweep: { variant: 1 } } as State['run'];
      store.set({ run, selection: { ...noSelection, step: 1, tab: 'trajectory' }, detail });
      return [far!(lessonContext(store.state)), done(lessonContext(store.state))];
    };
    expect(at(2)).toEqual(['This episode has 2 turns: choose a longer one.', false]);
    expect(at(3)).toEqual(['', true]);
  });

  test('the prediction comes first, and is met by the numbers of the reader’s own run', () => {
    expect(horizon.parts[0].id).toBe('predict');
    const { store } = opened();
    const { ask } = horizon.parts[0];
    expect(ask!.result!(lessonContext(store.state))).toBe('');
    expect(ask!.outcome!(lessonContext(store.state))).toBeNull();
    store.set({ sweep });
    expect(ask!.outcome!(lessonContext(store.state))).toBe(1);
    expect(horizon.parts[0].ask!.result!(lessonContext(store.state))).toContain('Short 0.10, Long 0.50, Growing 0.40');
    expect(compare.ask!.result!(lessonContext(store.state))).toContain('Short ±0.00, Long +0.40, Growing +0.30');
  });
});

test('the frontier’s part of lesson 14 ends where its tile leads, at a group of level 5', () => {
  const { done } = lessons.find(({ id }) => id === 'practise-next')!.parts.find(({ id }) => id === 'read')!;
  const at = (level: number, tab: 'group' | 'trajectory' | 'watch') => {
    const trajectory = { group: 0, member: 0, tokens: [], task: { world: 'babyai', id: 1, strata: { level } } };
    const detail = { state: 'ready', value: { step: 1, trajectories: [trajectory] } } as unknown as State['detail'];
    const store = new Store();
    store.set({ selection: { ...noSelection, step: 1, tab }, detail });
    return done(lessonContext(store.state));
  };
  expect([at(5, 'group'), at(5, 'trajectory')]).toEqual([true, true]);
  expect([at(1, 'group'), at(5, 'watch')]).toEqual([false, false]);
});

test('lesson 11 asks for steps to which the charts of its recording lead', () => {
  const { path, title } = adapterRun;
  const { trajectories } = readRun(readFileSync(join(root, 'public', path)), path);
  const kept = [...trajectories!.keys()];
  const at = (part: string, step: number) => {
    const store = new Store();
    const run = { name: title } as State['run'];
    store.set({ run, selection: { ...noSelection, step: nearestStep(kept, step) } });
    return languageModel.parts.find(({ id }) => id === part)!.done(lessonContext(store.state));
  };
  expect([at('start', 1), at('start', 60), at('result', 120), at('result', 60)]).toEqual([true, false, true, false]);
});
