// Worlds that fail and episodes without room: a step or an evaluation of nothing else stops by name, and partial failures
// enter no rate.
import { describe, expect, it } from 'vitest';
import type { World } from '../../src/envs/env.ts';
import { NoRoomError, UnplayedWatch, WorldFailsError } from '../../src/rl/episode/unplayed.ts';
import { Trainer } from '../../src/rl/trainer.ts';
import { capacity, DoorWorld, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

const withOptions = (options: object) =>
  settings({ worlds: [{ name: 'doors', weight: 1, options: { ...options } }], evaluation: { episodes: 6 } });

function listening() {
  const notices: string[] = [];
  return { notices, options: { onNotice: (words: string) => void notices.push(words) } };
}

describe('a watch', () => {
  const worlds = new Map<string, World>([['doors', new DoorWorld()]]);
  const planned = (count: number) =>
    Array.from({ length: count }, (_, key) => ({ task: { world: 'doors', id: key, options: {}, strata: {} }, key }));

  it('counts the episodes that begin first, so that a server with few places is not dead', () => {
    const all = planned(64);
    const watch = new UnplayedWatch(worlds, all);
    for (const episode of all.slice(1)) watch.failed(episode, 'no place');
    expect(() => watch.failed(all[0], 'no place')).toThrow(WorldFailsError);
    const other = new UnplayedWatch(worlds, all);
    for (const episode of all.slice(1)) other.failed(episode, 'no place');
    other.played(all[0]);
    const short = new UnplayedWatch(worlds, planned(2));
    short.failed(all[0], 'gone');
    expect(() => short.failed(all[1], 'gone')).toThrow('Doors failed in each of its first 2 episodes. gone');
  });

  it('stops at the sixteenth of many', () => {
    const all = planned(100);
    const watch = new UnplayedWatch(worlds, all);
    for (const episode of all.slice(0, 15)) watch.failed(episode, 'gone');
    expect(() => watch.failed(all[15], 'gone')).toThrow(/each of its first 16 episodes/);
  });
});

describe('a step', () => {
  it('of failed episodes stops with the reason of the world, and trains nothing', async () => {
    const { trainer, policy } = await trainerWith(withOptions({ fails: true }));
    await expect(trainer.step(1)).rejects.toThrow(/^Doors failed in each of its first 16 episodes\. trap/);
    expect(policy.updates).toHaveLength(0);
    await expect(trainer.evaluator.evaluate(0)).rejects.toThrow(WorldFailsError);
  });

  it('with some failed episodes goes on, reports them once, and leaves them out of its rates', async () => {
    const { trainer } = await trainerWith(withOptions({ fails: [0, 1, 2] }));
    const { notices, options } = listening();
    const { record, trajectories } = await trainer.step(1, options);
    await trainer.step(2, options);
    const played = trajectories.filter(({ ending }) => ending !== 'world-failure');
    expect(played.length).toBeLessThan(trajectories.length);
    expect(record.metrics.success).toBeCloseTo(played.filter(({ success }) => success).length / played.length, 12);
    expect(record.metrics.episodes).toBe(trajectories.length);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/^Step 1: Doors failed in \d+ of 16 episodes, which are not counted\. trap$/);
  });

  it('of an evaluation leaves failed episodes out, also those of chance and the oracle', async () => {
    const { trainer } = await trainerWith(withOptions({ absent: [0, 1] }));
    const { notices, options } = listening();
    const { train } = await trainer.evaluator.evaluate(0, options);
    expect([train.policy.episodes, train.chance.episodes]).toEqual([4, 64]);
    expect(notices).toEqual([
      'Evaluation on training goals: Doors failed in 2 of 6 episodes, which are not counted. no such room',
    ]);
  });

  it('leaves episodes that ran out of room after some turns out of its rates, and stops where all did', async () => {
    let mixed = 0;
    for (const completionTokens of [12, 14, 16, 18, 20, 24, 28, 32]) {
      const policy = new FakePolicy(tokenizer.vocabSize, capacity({ completionTokens }));
      const { trainer } = await trainerWith(withOptions({}), policy);
      const step = await trainer.step(1).catch((error: Error) => error);
      if (step instanceof Error) {
        expect(step).toBeInstanceOf(NoRoomError);
        continue;
      }
      const { record, trajectories } = step;
      const played = trajectories.filter(({ ending }) => ending !== 'context');
      if (played.length === trajectories.length) continue;
      mixed++;
      expect(trajectories.some(({ ending, turns }) => ending === 'context' && turns.length > 0)).toBe(true);
      expect(record.metrics.success).toBeCloseTo(played.filter(({ success }) => success).length / played.length, 12);
      expect(record.metrics.endingContext).toBeCloseTo(1 - played.length / trajectories.length, 12);
    }
    expect(mixed).toBeGreaterThan(0);
  });

  it('without room in a later step is reported once, and the step changes nothing', async () => {
    /** Tasks whose first observation is too long for the prompt. */
    class LongWorld extends DoorWorld {
      override async reset(...[slots, tasks]: Parameters<DoorWorld['reset']>) {
        const answers = await super.reset(slots, tasks);
        return answers.map((each, i) =>
          tasks[i].id % 2 ? { ...each, observation: `${each.observation} `.repeat(12) } : each,
        );
      }
    }
    const one = settings({ algorithm: { ...settings().algorithm, groups: 1, minibatches: 1 }, steps: 12 });
    const policy = new FakePolicy(tokenizer.vocabSize, capacity());
    const worlds = new Map([['doors', new LongWorld()]]);
    const trainer = await Trainer.create({ ...one, seed: 2 }, { policy, worlds, tokenizer });
    const { notices, options } = listening();
    const kinds: string[] = [];
    for (let k = 1; k <= 12; k++) {
      const before = (await policy.save()).tensors;
      const { record, trajectories } = await trainer.step(k, options);
      const { tensors } = await policy.save();
      const long = trajectories.every(({ task }) => task.id % 2);
      kinds.push(long ? 'long' : 'short');
      expect('success' in record.metrics).toBe(!long);
      if (long) expect(tensors).toEqual(before);
      else expect(tensors).not.toEqual(before);
    }
    expect(new Set(kinds)).toEqual(new Set(['long', 'short']));
    expect(notices).toEqual([
      expect.stringMatching(/^Step \d+: No episode of this step fits into its tokens\. A prompt has \d+ tokens/),
    ]);
  });

  it('without room for a prompt or a turn stops, and states how much is needed', async () => {
    const small = (size: object) => trainerWith(withOptions({}), new FakePolicy(tokenizer.vocabSize, capacity(size)));
    const prompt = (await small({ promptTokens: 2 })).trainer;
    await expect(prompt.step(1)).rejects.toThrow(
      /No episode of step 1 fits into its tokens\. A prompt has \d+ tokens, and sampling\.promptTokens is 2: choose at least \d+\./,
    );
    await expect(prompt.evaluator.evaluate(0)).rejects.toThrow(NoRoomError);
    const turn = (await small({ completionTokens: 1 })).trainer;
    await expect(turn.step(1)).rejects.toThrow(/sampling\.completionTokens is 1, for all turns/);
  });
});
