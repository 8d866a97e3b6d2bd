// Several worlds in one run: shares of the draws by world, limits and reports by world, exact resume.
import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/envs/env.ts';
import { familiesOf } from '../../src/rl/goals/families.ts';
import { Goals } from '../../src/rl/goals/goals.ts';
import { type GoalsSettings, newGoals, ruleOf } from '../../src/rl/goals/registry.ts';
import type { Family } from '../../src/rl/goals/rule.ts';
import { worldMetric } from '../../src/rl/metrics/by-world.ts';
import { mixedLimit, mostTurns, stageNumber } from '../../src/rl/schedule/horizon.ts';
import { reportedStrata, type TaskSource, taskKey } from '../../src/rl/schedule/tasks.ts';
import { Trainer } from '../../src/rl/trainer.ts';
import { trajectory } from '../session/fakes.ts';
import { capacity, DoorWorld, FakePolicy } from './fakes.ts';
import { settings, tokenizer } from './setup.ts';

const tasksOf = (world: string, count: number): Task[] =>
  Array.from({ length: count }, (_, id) => ({ world, id, options: {}, strata: { room: id % 3 } }));

/** 20 tasks of a world that is solved, 80 of one that is never solved, 320 of one that is solved half the time. */
const sources: TaskSource[] = [
  { weight: 1, tasks: tasksOf('solved', 20) },
  { weight: 1, tasks: tasksOf('unlearnt', 80) },
  { weight: 1, tasks: tasksOf('half', 320) },
];
const successOf: { [world: string]: number } = { solved: 1, unlearnt: 0, half: 0.5 };

const byWorld = (rule: string, change: object = {}) => ({ ...newGoals(rule), by: 'world', ...change }) as GoalsSettings;
const goalsOf = (goals: GoalsSettings, notes = new Map<string, number>()) =>
  Goals.of(sources, goals, 5, { notes, texts: new Map() });

function playStep(goals: Goals, step: number, groups = 12): Task[] {
  goals.begin(step);
  const chosen = goals.tasks(groups);
  goals.observe(
    chosen.flatMap((task, group) =>
      Array.from({ length: 8 }, (_, member) => {
        const success = member < 8 * successOf[task.world];
        return trajectory({ task, group, member, success, score: success ? 1 : 0 });
      }),
    ),
  );
  return chosen;
}

/** Share of a world's draws in steps 11 to 60. */
function shareOf(goals: GoalsSettings, world: string): number {
  const run = goalsOf(goals);
  const drawn: Task[] = [];
  for (let step = 1; step <= 60; step++) {
    const chosen = playStep(run, step);
    if (step > 10) drawn.push(...chosen);
    run.commit();
  }
  return drawn.filter((task) => task.world === world).length / drawn.length;
}

const family = (change: Partial<Family>): Family => ({
  ...{ name: '', weight: 1 / 2, size: 1, draws: 0, tries: 0, successes: 0, last: null, progress: 0 },
  ...change,
});
const sharesOf = (goals: GoalsSettings, families: readonly Family[]): number[] => {
  const shares = ruleOf(goals).shares(families, goals, 1);
  const sum = shares.reduce((a, b) => a + b, 0);
  return shares.map((each) => each / sum);
};

describe('a mixture’s families', () => {
  it('are its entries, by weight and whatever their sizes', () => {
    const twice = [...sources, { weight: 3, tasks: tasksOf('half', 2) }];
    expect(familiesOf(twice, 'world', 1).map(({ name, weight }) => [name, weight])).toEqual([
      ['solved', 1 / 6],
      ['unlearnt', 1 / 6],
      ['half', 1 / 6],
      ['half (4)', 1 / 2],
    ]);
  });
});

describe('shares by a made-up history', () => {
  it.each([
    [1, [1 / 5, 4 / 5]],
    [0.5, [1 / 3, 2 / 3]],
    [0, [1 / 2, 1 / 2]],
    [-1, [4 / 5, 1 / 5]],
  ])('by size to the power %d', (power, expected) => {
    const shares = sharesOf(byWorld('size', { power }), [family({ size: 25 }), family({ size: 100 })]);
    shares.forEach((share, i) => void expect(share).toBeCloseTo(expected[i], 12));
  });

  it('by failures under the belief', () => {
    // 7 of 8 and 1 of 8: expected failure rates 2/10 and 8/10.
    const history = [family({ tries: 8, successes: 7 }), family({ tries: 8, successes: 1 })];
    const shares = (change: object) => sharesOf(byWorld('success', change), history);
    expect(shares({ exploration: 0 })[0]).toBeCloseTo(0.2, 12);
    expect(shares({ exploration: 0, failurePower: 2 })[0]).toBeCloseTo(4 / 68, 12);
    expect(shares({ exploration: 0.5 })[0]).toBeCloseTo(0.5 * 0.5 + 0.5 * 0.2, 12);
  });

  it('by the absolute change of success', () => {
    const history = [family({ progress: -0.3 }), family({ progress: 0.1 })];
    expect(sharesOf(byWorld('progress', { exploration: 0 }), history)[0]).toBeCloseTo(0.75, 12);
  });
});

describe('with one world solved and one unlearnt', () => {
  it('size draws by the number of tasks', () => {
    expect(shareOf(byWorld('size', { power: 1 }), 'half')).toBeCloseTo(320 / 420, 1);
    expect(shareOf(byWorld('size', { power: 0 }), 'solved')).toBeCloseTo(1 / 3, 1);
  });

  it('success leaves the solved world its exploration, and the unlearnt one gets most', () => {
    const goals = byWorld('success', { exploration: 0.3 });
    // Failure rates 0, 1 and 1/2 in the limit: 0.1 of exploration for each, and 0.7 in proportion 0 : 2 : 1.
    expect(shareOf(goals, 'solved')).toBeCloseTo(0.1, 1);
    expect(shareOf(goals, 'unlearnt')).toBeCloseTo(0.1 + 0.7 * (2 / 3), 1);
  });

  it('progress, where nothing changes, draws by weight', () => {
    for (const world of ['solved', 'unlearnt', 'half'])
      expect(shareOf(byWorld('progress'), world)).toBeCloseTo(1 / 3, 1);
  });

  it.each(['size', 'success', 'progress'])('%s continues exactly from its notes', (rule) => {
    const notes = new Map<string, number>();
    const goals = goalsOf(byWorld(rule), notes);
    for (let step = 1; step <= 15; step++) {
      playStep(goals, step);
      goals.commit();
    }
    const saved = new Map([...notes].map(([name, value]) => [name, Math.fround(value)]));
    const resumed = goalsOf(byWorld(rule), saved);
    for (let step = 16; step <= 20; step++) {
      expect(playStep(resumed, step)).toEqual(playStep(goals, step));
      expect(resumed.metrics()).toEqual(goals.metrics());
      goals.commit();
      resumed.commit();
    }
  });
});

/** The door world under another name. */
class OtherDoors extends DoorWorld {
  override async tasks(...asked: Parameters<DoorWorld['tasks']>) {
    return (await super.tasks(...asked)).map((task) => ({ ...task, world: 'others' }));
  }
}

async function mixedTrainer(change: Parameters<typeof settings>[0] = {}) {
  const worlds = [
    { name: 'doors', weight: 1, options: {}, turns: 2 },
    { name: 'others', weight: 1, options: {}, turns: { oraclePlus: 3 } },
  ];
  const parts = {
    policy: new FakePolicy(tokenizer.vocabSize, capacity()),
    worlds: new Map([
      ['doors', new DoorWorld()],
      ['others', new OtherDoors()],
    ]),
    tokenizer,
  };
  const trainer = await Trainer.create(settings({ worlds, goals: byWorld('success'), ...change }), parts);
  return { trainer, policy: parts.policy };
}

describe('a run over two worlds', () => {
  it('has each world’s own limit, in training, and tells its success apart', async () => {
    const { trainer } = await mixedTrainer();
    const { record, trajectories } = await trainer.step(1);
    const limits = (world: string) =>
      new Set(trajectories.filter(({ task }) => task.world === world).map(({ horizon }) => horizon));
    // The oracle needs two turns.
    expect([limits('doors'), limits('others')]).toEqual([new Set([2]), new Set([5])]);
    for (const world of ['doors', 'others']) {
      const own = trajectories.filter(({ task }) => task.world === world);
      expect(record.metrics[worldMetric(world)]).toBeCloseTo(own.filter(({ success }) => success).length / own.length);
    }
  });

  it('reports an evaluation by world, chance within each world’s limit', async () => {
    const { trainer } = await mixedTrainer();
    const { test } = await trainer.evaluator.evaluate(0);
    expect(test.strata.doors.policy.episodes + test.strata.others.policy.episodes).toBe(test.policy.episodes);
    // More turns, more luck: with the horizon's four turns both would be equal.
    expect(test.strata.others.chance.rate).toBeGreaterThan(test.strata.doors.chance.rate);
  });

  it('repeats a step after a resume', async () => {
    const first = await mixedTrainer();
    for (const k of [1, 2, 3]) await first.trainer.step(k);
    const saved = await first.policy.save();
    const keys = ({ trajectories }: Awaited<ReturnType<Trainer['step']>>) =>
      trajectories.map(({ task, tokens }) => [taskKey(task), [...tokens]]);
    const expected = keys(await first.trainer.step(4));
    const second = await mixedTrainer();
    await second.policy.load(saved);
    expect(keys(await second.trainer.step(4))).toEqual(expected);
  });
});

describe('limits and reports', () => {
  it('are the horizon’s without a world’s own', () => {
    expect(mixedLimit([{ name: 'a' }, { name: 'b', turns: null }], 4)).toBe(4);
    const limit = mixedLimit([{ name: 'a', turns: { oraclePlus: 1 } }, { name: 'b' }], 4);
    expect([mostTurns(limit), mostTurns(mixedLimit([{ name: 'a', turns: 6 }], 4)), stageNumber(limit)]).toEqual([
      null,
      6,
      4,
    ]);
  });

  it('name the world only in an evaluation over several', () => {
    const [a, b] = [tasksOf('a', 1), tasksOf('b', 1)];
    expect(reportedStrata(a)).toEqual([['room 0']]);
    expect(reportedStrata([...a, ...b])).toEqual([
      ['a', 'a, room 0'],
      ['b', 'b, room 0'],
    ]);
  });
});
