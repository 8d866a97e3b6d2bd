// Results of a suite: the meaning of each number, on items with known results.
import { describe, expect, it } from 'vitest';
import type { WorldSuite } from '../../src/envs/suite.ts';
import { reportCsv, reportText, suiteReport } from '../../src/rl/evaluation/suite-report.ts';
import {
  comparisons,
  type ItemResult,
  isCounted,
  ksUpTo,
  type OverflowRule,
  passCurve,
  rowsOf,
  turnCurve,
  underRule,
} from '../../src/rl/evaluation/suite-results.ts';
import { babyai } from '../../src/worlds/babyai/index.ts';
import { worldModules } from '../../src/worlds/registry.ts';
import { STAND_IN_SEED, standInIds } from '../../src/worlds/sciworld/suites.ts';
import { itemOf, sciWorldTasks, variationsOf } from '../../src/worlds/sciworld/tasks.ts';
import { capacity, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

const one = (success: boolean, turns = 3, score = Number(success)) => ({ success, turns, score });
const item = (key: string, column: string, tries: boolean[]): ItemResult => ({
  key,
  column,
  tries: tries.map((success, i) => one(success, i + 1)),
  chance: [one(false), one(true)],
  oracle: one(true),
});
const items = [
  item('a', 'Depth 1', [true, true, true, true]),
  item('b', 'Depth 1', [true, false, false, false]),
  item('c', 'Depth 2', [false, false, false, false]),
];

const report = {
  suite: {
    name: 's',
    label: 'Suite',
    sentence: 'A suite.',
    turns: 5,
    columns: ['Depth 1', 'Depth 2'],
    options: {},
    split: 'test',
    columnOf: () => '',
  } as WorldSuite,
  policy: 'ours',
  settings: { samples: 2, temperature: 1, greedy: false, masked: false, seed: 1 },
  turns: [],
};

describe('results', () => {
  it('have the columns of the published table, without the empty ones', () => {
    const rows = rowsOf(items, ['Depth 1', 'Depth 2', 'Depth 3']);
    expect(rows.map(({ label, items: n, success }) => [label, n, success.mean])).toEqual([
      ['Depth 1', 2, 0.625],
      ['Depth 2', 1, 0],
      ['All', 3, 5 / 12],
    ]);
    expect(rows[2]).toMatchObject({ chance: { mean: 0.5 }, oracle: { mean: 1 } });
    expect(rowsOf([{ ...items[0], oracle: null }], ['Depth 1'])[0].oracle).toBeNull();
  });

  it('leave out tries whose world failed or that had no room, and items without another', () => {
    const failed = { success: false, score: 0, turns: 2, failure: 'The world failed: gone.' };
    const roomless = { success: false, score: 0, turns: 0, overflowed: true };
    const overflowed = { success: false, score: 0, turns: 2, overflowed: true };
    const some = [
      { ...items[0], tries: [one(true), failed] },
      { ...items[1], tries: [one(true), overflowed] },
      { ...items[2], tries: [failed, roomless] },
    ];
    const rows = rowsOf(some, ['Depth 1', 'Depth 2']);
    expect(rows.map(({ label, items: n, success }) => [label, n, success.mean])).toEqual([
      ['Depth 1', 2, 1],
      ['All', 2, 1],
    ]);
    expect(passCurve(some).map(({ estimate }) => estimate.mean)).toEqual([1]);
    const [{ comparison }] = comparisons(some, items, []);
    expect(comparison.difference).toMatchObject({ mean: (0 + 0.75) / 2, items: 2 });
    expect(() => suiteReport({ ...report, items: [some[2]] })).toThrow(
      /No item was played with ours\. The world failed in 1 of 2 tries.*gone.*1 of 2 tries ended for lack of room/,
    );
    const text = reportText(suiteReport({ ...report, items: some, notes: ['It refuses seed.'] }), [
      'Depth 1',
      'Depth 2',
    ]);
    expect(text).toContain('The world failed in 2 of 6 tries, which are not counted. The world failed: gone.');
    expect(text).toContain('2 of 6 tries ended for lack of room for their tokens and are not counted');
    expect(text).toContain('Counted as failures, they make the success 50.0% of tries.');
    expect(text).toContain('It refuses seed.');
    const [head, ...lines] = reportCsv(suiteReport({ ...report, items: some }))
      .trim()
      .split('\n');
    expect(head.split(',').at(-1)).toBe('not counted');
    expect(lines.map((line) => line.split(',').filter((_, k) => k === 2 || k === 9))).toEqual([
      ['1', '1'],
      ['1', '1'],
      ['0', '2'],
    ]);
  });

  it('have a column of the table for each measure of games, empty where no try was measured', () => {
    const measured = (value: number) => ({ ...one(true), measures: { agreements: value } });
    const some = [{ ...items[0], tries: [measured(1), measured(0), one(true)] }, { ...items[1] }];
    const lines = reportCsv(suiteReport({ ...report, items: some }))
      .trim()
      .split('\n');
    expect(lines.map((line) => line.split(',').slice(9))).toEqual([
      ['not counted', 'agreements'],
      ['0', '0.5'],
      ['0', ''],
    ]);
  });

  it('pass@k counts items, not tries', () => {
    expect(ksUpTo(6)).toEqual([1, 2, 4, 6]);
    const curve = passCurve(items).map(({ k, estimate }) => [k, estimate.mean]);
    expect(curve).toEqual([
      [1, (1 + 0.25) / 3],
      [2, (1 + 0.5) / 3],
      [4, 2 / 3],
    ]);
  });

  it('the curve by turns counts the items solved so far', () => {
    // Item a is solved in 1, 2, 3 and 4 turns.
    expect(turnCurve([items[0]], [0, 2, 4]).map(({ estimate }) => estimate.mean)).toEqual([0, 0.5, 1]);
  });

  it('are compared item by item in any order, and only for the same items', () => {
    const worse = items.map((each) => ({ ...each, tries: each.tries.map(() => one(false)) })).reverse();
    const found = comparisons(items, worse, ['Depth 1', 'Depth 2']);
    expect(found.map(({ label, comparison }) => [label, comparison.difference.mean])).toEqual([
      ['Depth 1', 0.625],
      ['Depth 2', 0],
      ['All', 5 / 12],
    ]);
    expect(() => comparisons(items, worse.slice(1), [])).toThrow(/1 of 3 .* 2 of the second/);
  });
});

const doors: WorldSuite = {
  name: 'doors',
  label: 'Doors',
  sentence: 'All doors.',
  options: {},
  split: 'train',
  turns: 4,
  columns: ['All doors'],
  columnOf: () => 'All doors',
};

describe('a suite', () => {
  const play = async (seed: number, ids?: number[]) => {
    const { trainer } = await trainerWith(settings());
    return trainer.evaluator.suite({ ...doors, ids }, { world: 'doors', samples: 3, temperature: 1, seed });
  };

  it('tries every item the given number of times, the same for the same seed, in the order of its ids', async () => {
    const first = await play(1);
    expect(first.every(({ tries, chance }) => tries.length === 3 && chance.length > 0)).toBe(true);
    expect(await play(1)).toEqual(first);
    expect(await play(2)).not.toEqual(first);
    const ids = [2, 0];
    const some = await play(1, ids);
    expect(some.map(({ key }) => key)).toEqual(ids.map((id) => first[id].key));
  });

  it('resumes with the interrupted piece, to the same results', async () => {
    const pieces: number[] = [];
    const from = async (kept: ItemResult[], options: { stopAt?: number } = {}) => {
      pieces.length = 0;
      const { trainer } = await trainerWith(settings());
      const abort = new AbortController();
      return trainer.evaluator.suite(
        doors,
        { world: 'doors', samples: 100, temperature: 1, seed: 1 },
        {
          kept,
          signal: abort.signal,
          onItems: (all) => {
            pieces.push(all.length);
            if (all.length === options.stopAt) abort.abort(new Error('stopped'));
          },
        },
      );
    };
    const whole = await from([]);
    expect(pieces).toEqual([2, 4, 6]);
    await expect(from([], { stopAt: 4 })).rejects.toThrow('stopped');
    expect(await from(whole.slice(0, 4))).toEqual(whole);
    expect(pieces).toEqual([6]);
    // An incomplete piece is played again.
    expect(await from(whole.slice(0, 3))).toEqual(whole);
    expect(pieces).toEqual([4, 6]);
    expect(await from(whole)).toEqual(whole);
    expect(pieces).toEqual([]);
  });

  it('counts the tries that had no room', async () => {
    const items = await play(1);
    const cut = items.map(({ tries: [first, ...others], ...item }) => ({
      ...item,
      tries: [first, ...others.map((one) => ({ ...one, overflowed: true }))],
    }));
    const report = (list: typeof items) =>
      reportText(
        suiteReport({
          suite: doors,
          policy: 'a policy',
          settings: { samples: 3, temperature: 1, greedy: false, masked: true, seed: 1 },
          items: list,
          turns: [2, 4],
        }),
        doors.columns,
      );
    expect(report(items)).not.toContain('lack of room');
    expect(report(cut)).toContain(`${2 * items.length} of ${3 * items.length} tries ended for lack of room`);
    const failed = cut.map((each) => ({ ...each, tries: each.tries.map((one) => underRule(one, 'failure')) }));
    expect(report(failed)).toContain('lack of room for their tokens and count as failures.');
    expect(report(failed)).not.toContain('not counted');
    expect(failed.flatMap(({ tries: [, ...others] }) => others).filter(({ success }) => success)).toEqual([]);
    expect(report(items)).toBe(report(items));
  });
});

describe('an evaluation whose episodes run out of room', () => {
  const results = async (overflow: OverflowRule | undefined) => {
    const policy = new FakePolicy(tokenizer.vocabSize, capacity({ completionTokens: 48 }));
    const horizon = [{ steps: 100, turns: 50 }];
    const { trainer } = await trainerWith(settings({ horizon, evaluation: { episodes: 24, overflow } }), policy);
    const { test } = await trainer.evaluator.evaluate(1);
    const suite: WorldSuite = { ...doors, turns: 50 };
    const items = await trainer.evaluator.suite(suite, { world: 'doors', samples: 2, temperature: 1, seed: 1 });
    return { outcomes: test.outcomes!, policy: test.policy, tries: items.flatMap(({ tries }) => tries) };
  };

  it('leaves them out or counts them as failures, as the experiment says', async () => {
    const [left, absent, failing] = [await results('left-out'), await results(undefined), await results('failure')];
    expect(absent).toEqual(left);
    expect(left.outcomes).toMatch(/-/);
    expect(failing.outcomes).toBe(left.outcomes.replaceAll('-', '0'));
    expect(failing.policy).toMatchObject({ successes: left.policy.successes, episodes: left.outcomes.length });
    const overflowed = left.tries.flatMap((one, i) => (one.overflowed ? [i] : []));
    expect(overflowed.length).toBeGreaterThan(0);
    expect(left.tries.every((one) => isCounted(one) !== one.overflowed)).toBe(true);
    expect(failing.tries.every(isCounted)).toBe(true);
    expect(overflowed.map((i) => failing.tries[i].success)).toEqual(overflowed.map(() => false));
  });
});

describe('suites of the worlds', () => {
  it('list their tasks, each in a column of the table', async () => {
    for (const module of worldModules)
      for (const suite of module.suites ?? []) {
        // A world on a server lists its tasks without a request.
        const world = await module.open({ address: 'http://127.0.0.1:1' });
        const tasks = await world.tasks(suite.options, suite.split);
        await world.close();
        const ids = new Set(tasks.map(({ id }) => id));
        for (const id of suite.ids ?? []) expect([suite.name, id, ids.has(id)]).toEqual([suite.name, id, true]);
        const selected = suite.ids ? tasks.filter(({ id }) => suite.ids!.includes(id)) : tasks;
        for (const task of selected) expect(suite.columns).toContain(suite.columnOf(task));
        for (const row of suite.published?.rows ?? []) expect(row.length).toBe(suite.columns.length + 2);
        const sizes: { [name: string]: number } = {
          'textcraft-test': 100,
          'babyai-test': 90,
          'babyai-dev': 1800,
          'babyai-fresh': 1800,
          'sciworld-stand-in': 200,
        };
        if (suite.name in sizes) expect([suite.name, selected.length]).toEqual([suite.name, sizes[suite.name]]);
      }
  });

  it("ScienceWorld's stand-in has the published sizes by topic, from test variations only", () => {
    const ids = standInIds();
    const [suite] = worldModules.find(({ name }) => name === 'sciworld')!.suites!;
    const counts = suite.columns.map(
      (column) =>
        ids.filter((id) => suite.columnOf({ world: 'sciworld', id, options: {}, strata: {} }) === column).length,
    );
    expect(counts).toEqual([53, 83, 44, 5, 15]);
    expect(new Set(ids).size).toBe(200);
    for (const id of ids) {
      const { task, variation } = itemOf(id);
      const { variations } = sciWorldTasks.find(({ name }) => name === task)!;
      expect(variationsOf('test', variations)).toContain(variation);
    }
    // Fixed for good: another draw would be another suite.
    expect([STAND_IN_SEED, ...ids.slice(0, 4), ids.at(-1)]).toMatchInlineSnapshot(`
      [
        20250908,
        529,
        534,
        539,
        541,
        4607,
      ]
    `);
  });

  it("BabyAI's fresh rooms differ from the 90", async () => {
    const world = await babyai.open({});
    const [test, fresh] = await Promise.all(babyai.suites!.map(({ options, split }) => world.tasks(options, split)));
    await world.close();
    const testIds = new Set(test.map(({ id }) => id));
    expect(fresh.filter(({ id }) => testIds.has(id))).toEqual([]);
  });
});
