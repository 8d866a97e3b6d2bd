// A fixed set of demonstrations: drawn once from the training tasks, apart from those that imitation stops on and from
// the held-out ones; imitation that stops early, and resumes exactly.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/envs/env.ts';
import { sft } from '../../src/rl/algorithms/sft.ts';
import { TaskSampler, taskKey } from '../../src/rl/schedule/tasks.ts';
import { capacity, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

const tasksOf = (world: string, count: number): Task[] =>
  Array.from({ length: count }, (_, id) => ({ world, id, options: {}, strata: {} }));
const keys = (tasks: readonly Task[]) => tasks.map(taskKey);

/** The whole record but its times. */
const timeless = ({ metrics }: { metrics: { [name: string]: number } }) =>
  Object.fromEntries(Object.entries(metrics).filter(([name]) => !/(Ms|PerSecond)$/.test(name)));

const few = (change: object = {}) =>
  settings({ algorithm: v.parse(sft.schema, { name: 'sft', groups: 1, groupSize: 2, demonstrations: 3, ...change }) });

describe('a fixed set of tasks', () => {
  const sources = [
    { weight: 3, tasks: tasksOf('a', 40) },
    { weight: 1, tasks: tasksOf('b', 40) },
  ];

  it('is drawn by the seed, without repetition, in proportion to the weights; a smaller set begins a larger one', () => {
    const set = new TaskSampler(sources, 5).fixed(40);
    expect(new Set(keys(set)).size).toBe(40);
    expect(set.filter(({ world }) => world === 'a')).toHaveLength(30);
    expect(keys(new TaskSampler(sources, 5).fixed(12))).toEqual(keys(set.slice(0, 12)));
    expect(keys(new TaskSampler(sources, 6).fixed(40))).not.toEqual(keys(set));
  });

  it('takes the rest from the other sources, and refuses more tasks than there are', () => {
    const set = new TaskSampler(sources, 5).fixed(80);
    expect(new Set(keys(set)).size).toBe(80);
    expect(() => new TaskSampler(sources, 5).fixed(81)).toThrow(
      /81 different training tasks are needed.*there are 80: lower algorithm\.demonstrations/,
    );
  });

  it('keeps one instance of a task that is drawn anew elsewhere', () => {
    const drawn = (task: Task, { key }: { key: number }) => ({ ...task, options: { key } });
    const sampler = new TaskSampler([{ weight: 1, tasks: tasksOf('a', 9), drawn }], 5);
    expect(sampler.fixed(4)).toEqual(sampler.fixed(9).slice(0, 4));
  });

  it('is shared among steps in shuffled epochs', () => {
    const sampler = new TaskSampler(sources, 5);
    const set = sampler.fixed(6);
    const epoch = [1, 2, 3].flatMap((step) => keys(sampler.share(set, step, 2)));
    expect([...epoch].sort()).toEqual(keys(set).sort());
    expect(sampler.share(set, 1, 50)).toHaveLength(6);
  });
});

describe('imitation of a fixed set', () => {
  it('shows the same demonstrations again and again, and no held-out task', async () => {
    const { trainer } = await trainerWith(few());
    const held = new Set(keys(trainer.evaluator.tasks.test));
    const seen = new Map<string, string>();
    for (let k = 1; k <= 6; k++)
      for (const { task, tokens } of (await trainer.step(k)).trajectories) {
        const key = taskKey(task);
        expect(held.has(key)).toBe(false);
        expect(seen.get(key) ?? tokens.join()).toBe(tokens.join());
        seen.set(key, tokens.join());
      }
    expect(seen.size).toBe(3);
  });

  const stopping = { goals: 2, every: 2, patience: 2 };
  const stops = few({ stopping });

  it('stops on training goals outside the set, after checks without improvement; later steps change nothing', async () => {
    const { trainer, policy } = await trainerWith(stops);
    const losses: number[] = [];
    let stopped = 0;
    for (let k = 1; k <= 30 && !stopped; k++) {
      const { metrics } = (await trainer.step(k)).record;
      if (metrics.keptApartLoss !== undefined) losses.push(metrics.keptApartLoss);
      if (metrics.imitationStopped) stopped = k;
    }
    expect(stopped).toBeGreaterThan(1);
    expect((stopped - 1) % stopping.every).toBe(0);
    const best = losses.indexOf(Math.min(...losses));
    expect(losses.length - 1 - best).toBe(stopping.patience);
    const before = await policy.save();
    const { record, trajectories } = await trainer.step(stopped + 1);
    expect(record.metrics).toMatchObject({ demonstrations: 0, imitationStopped: 1, updates: 0 });
    expect(trajectories).toEqual([]);
    expect(await policy.save()).toEqual(before);
  });

  it('resumes exactly, before and after it has stopped', async () => {
    const whole = await trainerWith(stops);
    const expected = [];
    for (let k = 1; k <= 24; k++) expected.push(timeless((await whole.trainer.step(k)).record));
    for (const cut of [2, 23]) {
      const early = await trainerWith(stops);
      for (let k = 1; k <= cut; k++) await early.trainer.step(k);
      const late = await trainerWith(stops, new FakePolicy(tokenizer.vocabSize, capacity(), 256, 64, 99));
      await late.policy.load(await early.policy.save());
      for (let k = cut + 1; k <= 24; k++)
        expect(timeless((await late.trainer.step(k)).record)).toEqual(expected[k - 1]);
    }
  });

  it('begins anew in a later stage', async () => {
    const { trainer } = await trainerWith({
      ...stops,
      stages: [{ steps: 30, algorithm: stops.algorithm, learningRate: null }],
      steps: 60,
    });
    for (let k = 1; k <= 30; k++) await trainer.step(k);
    expect((await trainer.step(31)).record.metrics).toMatchObject({ demonstrations: 2, imitationStopped: 0 });
  });

  it('refuses settings that contradict a fixed set', () => {
    const problems = (change: object) =>
      sft.problems(v.parse(sft.schema, { name: 'sft', groups: 1, groupSize: 2, ...change }));
    expect(problems({ demonstrations: 3, stopping })).toEqual([]);
    expect(problems({ stopping })[0].field).toBe('stopping.goals');
    expect(problems({ demonstrations: 3, dagger: 0.5 })[0].message).toContain('dagger');
    expect(problems({ demonstrations: 3, missteps: { episodes: 1, random: 0.1 } })[0].message).toContain('missteps');
    expect(problems({ demonstrations: 3, file: 'a.json' })[0].message).toContain('file');
  });
});
