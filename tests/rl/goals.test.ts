import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/envs/env.ts';
import { familiesOf } from '../../src/rl/goals/families.ts';
import { Goals } from '../../src/rl/goals/goals.ts';
import { Levels } from '../../src/rl/goals/levels.ts';
import { type GoalsSettings, goalRules, newGoals } from '../../src/rl/goals/registry.ts';
import { Retries } from '../../src/rl/goals/retries.ts';
import { learnability } from '../../src/rl/goals/rules/frontier.ts';
import { goalMetric, metricNamed } from '../../src/rl/metrics/metrics.ts';
import { type TaskSource, taskKey } from '../../src/rl/schedule/tasks.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { trajectory } from '../session/fakes.ts';
import { capacity, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

/** 40 tasks: 10 of depth 1, 30 of depth 2. */
const tasks: Task[] = Array.from({ length: 40 }, (_, id) => ({
  world: 'made',
  id,
  options: {},
  strata: { depth: id < 10 ? 1 : 2, kind: id % 4 },
}));
const source: TaskSource = { weight: 1, tasks };
const depthOf = (task: Task) => Number(task.strata.depth);

const withRule = (rule: string, change: object = {}): GoalsSettings =>
  ({ ...newGoals(rule), ...change }) as GoalsSettings;

/** Plays a step: of the `tries` episodes of a task, the share `rate(task)` succeeds. */
function played(chosen: readonly Task[], rate: (task: Task) => number, tries = 8) {
  return chosen.flatMap((task, group) =>
    Array.from({ length: tries }, (_, member) => {
      const success = member < Math.round(rate(task) * tries);
      return trajectory({ task, group, member, success, score: success ? 1 : 0 });
    }),
  );
}

/** Share of the draws of depth 1 over `steps` steps of `groups` groups, the first ten left out. */
function shareOfDepth1(goals: Goals, rate: (task: Task, step: number) => number, steps = 60, groups = 16): number {
  let first = 0;
  let all = 0;
  for (let step = 1; step <= steps; step++) {
    goals.begin(step);
    const chosen = goals.tasks(groups);
    goals.observe(played(chosen, (task) => rate(task, step)));
    goals.commit();
    if (step <= 10) continue;
    first += chosen.filter((task) => depthOf(task) === 1).length;
    all += chosen.length;
  }
  return first / all;
}

const goalsOf = (rule: string, change: object = {}, notes = new Map<string, number>()) =>
  Goals.of([source], withRule(rule, change), 7, { notes, texts: new Map() });

describe('families', () => {
  it('are the values of the first property, weighted by world and number of tasks', () => {
    const families = familiesOf([source, { weight: 3, tasks: tasks.slice(0, 10) }], null, 1);
    expect(families.map(({ name }) => name)).toEqual(['made, depth 1', 'made, depth 2', 'made, depth 1 (3)']);
    expect(families.map(({ weight }) => weight)).toEqual([10 / 160, 30 / 160, 0.75]);
  });

  it('name a property that no task has, and too many families', () => {
    expect(() => familiesOf([source], 'level', 1)).toThrow(
      'goals.by is "level", which no task has: choose depth or kind or world.',
    );
    const many = tasks.concat(tasks).map((task, id) => ({ ...task, id, strata: { id } }));
    expect(() => familiesOf([{ weight: 1, tasks: many }], null, 1)).toThrow(
      '80 families of goals, at most 64 are allowed',
    );
  });
});

describe.each(goalRules.map(({ rule }) => rule))('the rule %s', (rule) => {
  it('draws only training tasks, whatever the outcomes', () => {
    const goals = goalsOf(rule, { retryShare: 0.25 });
    const known = new Set(tasks.map(taskKey));
    for (let step = 1; step <= 40; step++) {
      goals.begin(step);
      const chosen = [...goals.tasks(12), ...goals.tasks(12, 1)];
      expect(chosen).toHaveLength(24);
      expect(chosen.every((task) => known.has(taskKey(task)))).toBe(true);
      goals.observe(played(chosen, (task) => (task.id % 3) / 2));
      for (const [name, value] of Object.entries(goals.metrics())) {
        expect(metricNamed(name), name).toBeDefined();
        expect(Number.isFinite(value), name).toBe(true);
      }
      goals.commit();
    }
  });

  it('repeats a step from the notes alone', () => {
    const notes = new Map<string, number>();
    const goals = goalsOf(rule, { retryShare: 0.25 }, notes);
    const rate = (task: Task) => (task.id % 3) / 2;
    const step = (from: Goals, k: number) => {
      from.begin(k);
      const chosen = from.tasks(12);
      from.observe(played(chosen, rate));
      return chosen;
    };
    for (let k = 1; k <= 20; k++) {
      step(goals, k);
      goals.commit();
    }
    // Saved as 32-bit floats.
    const saved = new Map([...notes].map(([name, value]) => [name, Math.fround(value)]));
    // A step that was drawn and not committed leaves no trace.
    step(goals, 21);
    const chosen = step(goals, 21);
    expect(step(goalsOf(rule, { retryShare: 0.25 }, saved), 21)).toEqual(chosen);
  });
});

describe('shares', () => {
  it('of uniform drawing are the shares of the tasks, off by less than one draw', () => {
    const goals = goalsOf('uniform');
    for (let step = 1; step <= 30; step++) {
      goals.begin(step);
      const first = goals.tasks(10).filter((task) => depthOf(task) === 1).length;
      expect(Math.abs(first - 2.5)).toBeLessThan(1);
    }
  });

  it('of the frontier go to the family that succeeds sometimes', () => {
    const half = (task: Task) => (depthOf(task) === 1 ? 0.5 : 1);
    expect(shareOfDepth1(goalsOf('frontier', { exploration: 0 }), half)).toBeGreaterThan(0.9);
    expect(shareOfDepth1(goalsOf('frontier', { exploration: 0 }), (task) => 1 - half(task))).toBeGreaterThan(0.9);
    // Exploration keeps its share: a fifth of the draws go by the weights, three quarters of these to depth 2.
    expect(shareOfDepth1(goalsOf('frontier', { exploration: 0.2, sharpness: 20 }), half)).toBeCloseTo(0.85, 1);
  });

  it('of learning progress go to the family that changes, up or down', () => {
    const moving = (direction: 1 | -1) => (task: Task, step: number) =>
      depthOf(task) === 2 ? 0.5 : 0.5 + (direction * (step - 30)) / 60;
    for (const direction of [1, -1] as const)
      expect(shareOfDepth1(goalsOf('progress', { exploration: 0.1 }), moving(direction))).toBeGreaterThan(0.6);
    // Where nothing changes, families are drawn by their weights.
    expect(shareOfDepth1(goalsOf('progress'), () => 0.5)).toBeCloseTo(0.25, 1);
  });

  it('of a fixed schedule open one family after another', () => {
    const goals = goalsOf('fixed', { each: 5, order: 'depth 2' });
    const depthsAt = (step: number) => {
      goals.begin(step);
      return new Set(goals.tasks(16).map(depthOf));
    };
    expect([depthsAt(5), depthsAt(6)]).toEqual([new Set([2]), new Set([1, 2])]);
    const byName = goalsOf('fixed', { each: 5 });
    byName.begin(1);
    expect(new Set(byName.tasks(16).map(depthOf))).toEqual(new Set([1]));
  });
});

it('learnability is the mean of p (1 - p) under the belief', () => {
  const cases: [number, number][] = [
    [0, 0],
    [3, 10],
    [7, 7],
  ];
  for (const [successes, tries] of cases) {
    // Mean over a fine grid of Beta(1 + successes, 1 + failures).
    let [sum, mass] = [0, 0];
    for (let p = 0.0005; p < 1; p += 0.001) {
      const density = p ** successes * (1 - p) ** (tries - successes);
      sum += density * p * (1 - p);
      mass += density;
    }
    expect(learnability(successes, tries)).toBeCloseTo(sum / mass, 5);
  }
});

describe('failed tasks', () => {
  const retry = { retryShare: 0.5, retryGap: 4, retryMost: 2 };

  it('are tried again after gaps that double, and given up after their last try', () => {
    const retries = new Retries(retry, new Map());
    const draw = { family: 1, before: 5 };
    const dueSteps: number[] = [];
    for (let step = 1; step <= 60; step++) {
      if (step === 1) retries.observe(draw, step, false);
      else if (retries.due(step, 4).length) {
        dueSteps.push(step);
        retries.observe(draw, step, false);
      }
    }
    expect(dueSteps).toEqual([5, 13]);
    expect([retries.size, retries.givenUp, retries.solved]).toEqual([0, 1, 0]);
  });

  it('are lost in no other way than being solved or given up', () => {
    // More tasks than draws: each new draw is another task.
    const many = Array.from({ length: 1000 }, (_, id) => ({ ...tasks[0], id, strata: { depth: 1 + (id % 2) } }));
    const goals = Goals.of([{ weight: 1, tasks: many }], withRule('uniform', retry), 7, {
      notes: new Map(),
      texts: new Map(),
    });
    const failed = new Set<number>();
    const solvedLater = new Set<number>();
    for (let step = 1; step <= 50; step++) {
      goals.begin(step);
      const chosen = goals.tasks(8);
      // Every task fails at its first draw; odd ones are solved at the next.
      const isSolved = ({ id }: Task) => id % 2 === 1 && failed.has(id);
      for (const task of chosen) if (isSolved(task)) solvedLater.add(task.id);
      goals.observe(played(chosen, (task) => (isSolved(task) ? 1 : 0), 2));
      for (const { id } of chosen) failed.add(id);
      goals.commit();
    }
    const { goalsWaiting, goalsSolvedLater, goalsGivenUp, goalsRepeated } = goals.metrics();
    expect(goalsSolvedLater).toBe(solvedLater.size);
    expect(Math.min(goalsWaiting, goalsSolvedLater, goalsGivenUp)).toBeGreaterThan(0);
    expect(goalsWaiting + goalsSolvedLater + goalsGivenUp).toBe(failed.size);
    expect(goalsRepeated).toBeLessThanOrEqual(0.5);
  });

  it('leave a full list by the number of their failures', () => {
    const retries = new Retries({ ...retry, retryMost: 20 }, new Map());
    for (let before = 0; before < 300; before++) retries.observe({ family: 0, before }, 1, false);
    expect([retries.size, retries.givenUp]).toEqual([256, 44]);
  });
});

describe('replayed tasks', () => {
  const replay = { share: 0.5, capacity: 3, temperature: 0.5, staleness: 0.25 };

  it('are repeated by rank and age, as the paper defines', () => {
    const levels = new Levels(replay, new Map(), 1);
    levels.observe({ family: 0, before: 0 }, 2, 0.1);
    levels.observe({ family: 0, before: 1 }, 4, 0.5);
    levels.observe({ family: 1, before: 0 }, 8, 0.3);
    // Ranks 3, 1, 2 with exponent -2: 1/9, 1, 1/4. Ages at step 10: 8, 6, 2.
    const ranked = [1 / 9, 1, 1 / 4].map((each) => each / (1 + 1 / 9 + 1 / 4));
    const expected = [8, 6, 2].map((age, i) => 0.75 * ranked[i] + (0.25 * age) / 16);
    levels.probabilities(10).forEach((each, i) => {
      expect(each).toBeCloseTo(expected[i], 12);
    });
    // The lowest score leaves.
    levels.observe({ family: 1, before: 1 }, 9, 0.2);
    expect(levels.probabilities(10)).toHaveLength(3);
    const chosen = levels.repeated(10, 100, 0);
    expect(new Set(chosen.map(({ family, before }) => `${family} ${before}`))).toEqual(new Set(['0 1', '1 0', '1 1']));
    expect(chosen).toHaveLength(3);
  });

  it('are those whose episodes differ', () => {
    const goals = goalsOf('level-replay', { capacity: 8, staleness: 0 });
    const rate = (task: Task) => (task.id % 5 === 0 ? 0.5 : 1);
    const repeats = new Map<number, number>();
    for (let step = 1; step <= 40; step++) {
      goals.begin(step);
      const chosen = goals.tasks(16);
      for (const { id } of chosen) repeats.set(id, (repeats.get(id) ?? 0) + 1);
      goals.observe(played(chosen, rate));
      goals.commit();
    }
    const mean = (of: (id: number) => boolean) => {
      const counts = [...repeats].filter(([id]) => of(id)).map(([, count]) => count);
      return counts.reduce((sum, each) => sum + each, 0) / counts.length;
    };
    expect(mean((id) => id % 5 === 0)).toBeGreaterThan(1.5 * mean((id) => id % 5 !== 0));
  });
});

describe('a training with goals', () => {
  const chosen = (rule: string) => settings({ goals: withRule(rule, { retryShare: 0.25, retryGap: 1 }) });

  it.each(['frontier', 'level-replay'])('%s resumes exactly from a checkpoint', async (rule) => {
    const whole = await trainerWith(chosen(rule));
    const expected = [];
    for (let k = 1; k <= 6; k++) expected.push(withoutTimes((await whole.trainer.step(k)).record));
    const early = await trainerWith(chosen(rule));
    for (let k = 1; k <= 3; k++) await early.trainer.step(k);
    const [state, reference] = [await early.policy.save(), await early.policy.save({ reference: true })];
    const late = await trainerWith(chosen(rule), new FakePolicy(tokenizer.vocabSize, capacity(), 256, 64, 99));
    await late.policy.load(reference, { reference: true });
    await late.policy.load(state);
    const resumed = [];
    for (let k = 4; k <= 6; k++) resumed.push(withoutTimes((await late.trainer.step(k)).record));
    expect(resumed).toEqual(expected.slice(3));
    expect(expected[5].metrics).toHaveProperty([goalMetric('success', 'doors, depth 1')]);
  });

  it('without a rule is what it was', async () => {
    const { trainer } = await trainerWith(settings());
    const { record } = await trainer.step(1);
    expect(Object.keys(record.metrics).filter((name) => name.startsWith('goals'))).toEqual([]);
  });
});
