// Subgoals of the worlds that name them: tasks of the same world that its oracle solves and its judge judges.
import { describe, expect, it } from 'vitest';
import type { Task, World, WorldOptions } from '../../src/envs/env.ts';
import { BabyAi } from '../../src/worlds/babyai/world.ts';
import { SciWorld } from '../../src/worlds/sciworld/world.ts';
import { Search } from '../../src/worlds/search/world.ts';
import { readRecipeList } from '../../src/worlds/textcraft/recipe-list.ts';
import { TextCraft } from '../../src/worlds/textcraft/world.ts';

/** Plays the oracle's plan. Returns the first observation, the number of turns and the last feedback. */
async function solved(world: World, task: Task) {
  const [{ observation }] = await world.reset([0], [task]);
  const [plan] = await world.oracle([0]);
  let turns = 0;
  for (const action of plan ?? []) {
    const [feedback] = await world.step([0], [action]);
    turns++;
    if (feedback.done) return { observation, turns, reward: feedback.reward };
  }
  return { observation, turns, reward: 0 };
}

async function parted(world: World, options: WorldOptions, count: number) {
  const tasks = (await world.tasks(options, 'train')).slice(0, count);
  const parts = await world.subgoals!(tasks);
  return tasks.map((task, i) => ({ task, parts: parts[i] }));
}

describe('subgoals', () => {
  it('of TextCraft are the things crafted on the way, none of them a held-out goal', async () => {
    const world = await TextCraft.open();
    const test = await world.tasks({ distractors: 0 }, 'test');
    const heldOut = new Set<string>();
    for (const task of test) heldOut.add(readRecipeList((await world.reset([0], [task]))[0].observation)!.goal);
    let count = 0;
    for (const { task, parts } of await parted(world, { depths: [2, 3, 4] }, 100)) {
      const whole = await solved(world, task);
      for (const part of parts) {
        const { observation, turns, reward } = await solved(world, part);
        expect([reward, turns < whole.turns]).toEqual([1, true]);
        const [own, of] = [readRecipeList(whole.observation)!, readRecipeList(observation)!];
        expect(of.recipes).toEqual(own.recipes);
        expect(heldOut.has(of.goal)).toBe(false);
        expect(Number(part.strata.depth)).toBeGreaterThan(0);
        count++;
      }
    }
    expect(count).toBeGreaterThan(50);
    for (const { parts } of await parted(world, { depths: [1] }, 20)) expect(parts).toEqual([]);
    const made = await parted(world, { madeUp: true }, 64);
    const some = made.find(({ parts }) => parts.length > 0)!;
    expect((await solved(world, some.parts[0])).reward).toBe(1);
  });

  it('of Search are the questions of fewer hops', async () => {
    const world = await Search.open();
    for (const { task, parts } of await parted(world, { hops: [3], universes: 2, questions: 4 }, 8)) {
      expect(parts.map(({ strata }) => strata.hops)).toEqual([1, 2]);
      const turns = [];
      for (const each of [...parts, task]) {
        const played = await solved(world, each);
        expect(played.reward).toBe(1);
        turns.push(played.turns);
      }
      expect(turns[0]).toBe(2);
      expect(turns).toEqual([...turns].sort());
    }
    await world.close();
  });

  it('of BabyAI are the actions of an instruction, in the order of doing them', async () => {
    const world = await BabyAi.open();
    const goalOf = (text: string) => /^Your goal: (.+)$/m.exec(text)![1];
    let several = 0;
    for (const { task, parts } of await parted(world, { levels: [8], trainSeeds: 20 }, 20)) {
      if (parts.length === 0) continue;
      several++;
      const whole = goalOf((await solved(world, task)).observation);
      for (const part of parts) {
        const { observation, reward } = await solved(world, part);
        expect(reward).toBeGreaterThan(0);
        expect(whole).toContain(goalOf(observation));
      }
    }
    expect(several).toBeGreaterThan(10);
    for (const { parts } of await parted(world, { levels: [1], trainSeeds: 5 }, 5)) expect(parts).toEqual([]);
  });

  it('of ScienceWorld are its ordered subgoals, at which the episode ends', async () => {
    const world = await SciWorld.open();
    const [{ task, parts }] = await parted(world, { tasks: ['melt'], simplifications: ['easy'] }, 1);
    const whole = await solved(world, task);
    const turns = [];
    for (const part of parts) {
      const { observation, reward, turns: taken } = await solved(world, part);
      expect([reward, observation.includes('\nSubgoal: ')]).toEqual([1, true]);
      turns.push(taken);
    }
    expect(turns.length).toBeGreaterThan(1);
    expect([...turns, whole.turns]).toEqual([...turns, whole.turns].sort((a, b) => a - b));
    expect(whole.observation).not.toContain('Subgoal');
  });
});
