import { describe, expect, it } from 'vitest';
import type { World } from '../../src/envs/env.ts';
import { Goals } from '../../src/rl/goals/goals.ts';
import { proposable, proposals, uncertainty } from '../../src/rl/goals/proposer.ts';
import { type GoalsSettings, newGoals } from '../../src/rl/goals/registry.ts';
import { taskKey } from '../../src/rl/schedule/tasks.ts';
import { TextCraft } from '../../src/worlds/textcraft/world.ts';
import { trajectory } from '../session/fakes.ts';

const family = (tries: number, successes: number) => ({
  ...{ name: '', weight: 0, size: 1, draws: 0, last: null, progress: 0 },
  tries,
  successes,
});

describe('the proposer', () => {
  it('prefers families of uncertain success, and those that were tried little', () => {
    expect(uncertainty({ tries: 100, successes: 50 })).toBeGreaterThan(uncertainty({ tries: 100, successes: 95 }));
    expect(uncertainty({ tries: 100, successes: 50 })).toBeGreaterThan(uncertainty({ tries: 100, successes: 5 }));
    expect(uncertainty({ tries: 0, successes: 0 })).toBeGreaterThan(uncertainty({ tries: 100, successes: 50 }));
    const chosen = proposals([family(400, 200), family(400, 400)], 1000, [1, 2]);
    expect(chosen.filter((place) => place === 0).length).toBeGreaterThan(900);
    expect(proposals([], 5, [1])).toEqual([]);
  });

  it('draws solvable training tasks that the experiment does not ask for, as many as its share', async () => {
    const world = await TextCraft.open();
    const worlds = new Map<string, World>([['textcraft', world]]);
    const options = { depths: [1], distractors: 1 };
    const invented = await proposable(worlds, [{ name: 'textcraft', options }], 3);
    expect(invented.map(({ name }) => name)).toEqual([
      'textcraft, depth 2 (new)',
      'textcraft, depth 3 (new)',
      'textcraft, depth 4 (new)',
      'textcraft, made-up recipes (new)',
    ]);
    const tasks = await world.tasks(options, 'train');
    const heldOut = new Set((await world.tasks({ distractors: 1 }, 'test')).map(({ id }) => id));
    const settings = { ...newGoals('frontier'), inventedShare: 0.25 } as GoalsSettings;
    const notes = { notes: new Map<string, number>(), texts: new Map<string, string>() };
    const goals = Goals.of([{ weight: 1, tasks }], settings, 7, notes, invented);
    const known = new Set(tasks.map(taskKey));
    for (let step = 1; step <= 20; step++) {
      goals.begin(step);
      const chosen = goals.tasks(16);
      const fresh = chosen.filter((task) => !known.has(taskKey(task)));
      expect(fresh).toHaveLength(4);
      for (const { id, options: own } of fresh) expect(own.madeUp || !heldOut.has(id)).toBe(true);
      goals.observe(
        chosen.flatMap((task, group) =>
          [0, 1].map((member) => trajectory({ task, group, member, success: member === 0, score: 1 - member })),
        ),
      );
      goals.commit();
    }
    expect(goals.metrics()['goals.draws.textcraft, depth 2 (new)']).toBeGreaterThan(5);
  });
});
