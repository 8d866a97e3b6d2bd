import { describe, expect, it } from 'vitest';
import type { Feedback, Task } from '../../src/envs/env.ts';
import { uniform } from '../../src/rl/common/random.ts';
import { Conversation } from '../../src/rl/episode/conversation.ts';
import { relabel } from '../../src/rl/episode/relabel.ts';
import { Parts } from '../../src/rl/goals/parts.ts';
import { type GoalsSettings, newGoals } from '../../src/rl/goals/registry.ts';
import { metricNamed } from '../../src/rl/metrics/metrics.ts';
import { Trainer } from '../../src/rl/trainer.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { trajectory } from '../session/fakes.ts';
import { capacity, colour, DoorWorld, FakePolicy } from './fakes.ts';
import { settings, tokenizer } from './setup.ts';

/** Doors whose part is the key. Option `refuses`: the judge never accepts the part. */
class KeyedDoors extends DoorWorld {
  private readonly tasksOf = new Map<number, Task>();

  async subgoals(tasks: readonly Task[]): Promise<Task[][]> {
    return tasks.map((task) => (task.options.part ? [] : [{ ...task, options: { ...task.options, part: true } }]));
  }

  override async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    for (const [i, slot] of slots.entries()) this.tasksOf.set(slot, tasks[i]);
    return super.reset(slots, tasks);
  }

  override async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    const answers = await super.step(slots, actions);
    return answers.map((feedback, i) => {
      const { options } = this.tasksOf.get(slots[i])!;
      if (!options.part || options.refuses || feedback.observation !== 'Got it.') return feedback;
      return { ...feedback, reward: 1, done: true };
    });
  }
}

const options = { maskActions: true, promptTokens: 64, completionTokens: 128 };
const parts = { worlds: new Map([['doors', new KeyedDoors()]]), conversation: new Conversation(tokenizer) };

/** An episode of random valid and refused actions. */
function randomEpisode(task: Task, seed: number) {
  const offered = ['wait', `get ${colour(task)} key`, 'get red key', 'open blue door'].filter(
    (each) => each !== 'wait',
  );
  const turns = Array.from({ length: 1 + Math.floor(4 * uniform(seed, 1)) }, (_, i) => {
    const action = offered[Math.floor(offered.length * uniform(seed, 2, i))];
    return { ...trajectory().turns[0], action, valid: action === `get ${colour(task)} key`, reward: 0 };
  });
  return trajectory({ task, turns, success: false });
}

describe('relabelled episodes', () => {
  it('are those that the judge accepts, up to the turn that reached the part', async () => {
    const world = parts.worlds.get('doors')!;
    const tasks = await world.tasks({}, 'train');
    const attempts = await Promise.all(
      Array.from({ length: 60 }, async (_, seed) => {
        const task = tasks[seed % tasks.length];
        const [[part]] = await world.subgoals([task]);
        return { trajectory: randomEpisode(task, seed), task: part };
      }),
    );
    const relabelled = await relabel(parts, attempts, options);
    relabelled.forEach((found, i) => {
      const took = attempts[i].trajectory.turns.some(({ action }) => action === `get ${colour(attempts[i].task)} key`);
      expect(found !== null).toBe(took);
      if (!found) return;
      expect(found.task).toBe(attempts[i].task);
      expect([found.success, found.turns.at(-1)!.reward, found.turns.length]).toEqual([true, 1, 1]);
    });
    expect(relabelled.filter(Boolean).length).toBeGreaterThan(20);
  });

  it('are none where the judge refuses', async () => {
    const task: Task = { world: 'doors', id: 1, options: { part: true, refuses: true }, strata: {} };
    const all = Array.from({ length: 20 }, (_, seed) => ({ trajectory: randomEpisode(task, seed), task }));
    expect((await relabel(parts, all, options)).filter(Boolean)).toEqual([]);
  });
});

it('parts are practised until solved or given up; the last one solved calls the whole task', () => {
  const list = new Parts({ partsShare: 0.5, retryGap: 2, retryMost: 2 }, new Map(), new Map());
  const of = (id: number): Task => ({ world: 'doors', id, options: {}, strata: {} });
  const whole = { family: 1, before: 3 };
  list.divide(whole, [of(1), of(2)], 4);
  expect([list.due(4, 9), list.due(5, 1), list.due(5, 9)]).toEqual([[], [of(1)], [of(1), of(2)]]);
  expect(list.observe(of(1), 5, false)).toBeNull();
  expect(list.due(6, 9)).toEqual([of(2)]);
  expect(list.due(7, 9)).toEqual([of(2), of(1)]);
  expect(list.observe(of(2), 7, true)).toBeNull();
  expect(list.observe(of(1), 7, true)).toEqual(whole);
  expect([list.size, list.solved]).toEqual([0, 2]);
  list.divide(whole, [of(1)], 8);
  expect([list.observe(of(1), 9, false), list.observe(of(1), 11, false), list.size]).toEqual([null, null, 0]);
});

it('a training with parts and relabelled episodes resumes exactly', async () => {
  const chosen = settings({
    goals: {
      ...newGoals('frontier'),
      ...{ retryShare: 0.25, retryGap: 1, keep: 8, keptShare: 0.25, partsShare: 0.5, relabels: 8 },
      distilEvery: 2,
    } as GoalsSettings,
    // No door can be passed in one turn, but a key can be taken.
    horizon: [{ steps: 100, turns: 1 }],
  });
  const open = async (policy = new FakePolicy(tokenizer.vocabSize, capacity())) => {
    const worlds = new Map([['doors', new KeyedDoors()]]);
    return { policy, trainer: await Trainer.create(chosen, { policy, worlds, tokenizer }) };
  };
  const whole = await open();
  const expected = [];
  for (let k = 1; k <= 5; k++) expected.push(withoutTimes((await whole.trainer.step(k)).record));
  const early = await open();
  for (let k = 1; k <= 3; k++) await early.trainer.step(k);
  const late = await open(new FakePolicy(tokenizer.vocabSize, capacity(), 256, 64, 99));
  await late.policy.load(await early.policy.save({ reference: true }), { reference: true });
  await late.policy.load(await early.policy.save());
  for (let k = 4; k <= 5; k++) expect(withoutTimes((await late.trainer.step(k)).record)).toEqual(expected[k - 1]);
  const all = expected.map(({ metrics }) => metrics);
  for (const name of ['goalsParts', 'goalsPartsSolved', 'goalsRelabelled', 'goalsReplayed', 'goalsDistilled'])
    expect(
      all.some((metrics) => metrics[name] > 0),
      name,
    ).toBe(true);
  for (const metrics of all) for (const name of Object.keys(metrics)) expect(metricNamed(name), name).toBeDefined();
});
