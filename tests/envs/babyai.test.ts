import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { type Feedback, type World, WorldError, type WorldOptions } from '../../src/envs/env.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import { itemOf, itemsOf, RL_LEVELS } from '../../src/worlds/babyai/split.ts';
import type { BabyAiView } from '../../src/worlds/babyai/view-data.ts';
import { BabyAiWasm, plainAction, readLook } from '../../src/worlds/babyai/wasm.ts';
import { BabyAi } from '../../src/worlds/babyai/world.ts';
import { fuzzBabyai, makeEveryLevel } from '../../tools/fuzz/play-babyai.ts';
import { replayBabyai } from '../../tools/replay/babyai.ts';
import { played, taskOf } from './babyai-play.ts';
import recorded from './fixtures/babyai.golden.json' with { type: 'json' };
import { goldenFolder, hasGolden } from './helpers.ts';

let world: World;
let wasm: BabyAiWasm;
beforeAll(async () => {
  await buildWasm();
  world = await BabyAi.open();
  wasm = await BabyAiWasm.open();
});

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);
const upstream = { upstream: true };
const levels = Array.from({ length: 40 }, (_, k) => k + 1);

const play = (slot: number, actions: readonly string[]) => played(world, slot, actions);

function gridText(slot: number): string {
  const letter = (look: number) => {
    const { type, color, state } = readLook(look);
    if (type === 'empty') return '.';
    if (type === 'wall') return '#';
    const kind =
      type === 'door'
        ? { open: 'O', closed: 'D', locked: 'L' }[state]
        : { key: 'K', ball: 'A', box: 'B' }[type as 'key'];
    return `${kind}${['red', 'green', 'blue', 'purple', 'yellow', 'grey'].indexOf(color)}`;
  };
  return wasm
    .grid(slot)
    .map((row) => Array.from(row, letter).join(''))
    .join('/');
}
const layoutHash = (item: number) => {
  wasm.generate([0], [{ level: (item % 40) + 1, seed: Math.floor(item / 40), upstream: true, compact: false }]);
  return hash(wasm.mission(0) + gridText(0));
};

describe('the original, recorded', () => {
  it('starts with the same texts, missions and grids on every level', async () => {
    for (const [item, [opening, layout]] of Object.entries(recorded.starts)) {
      const [{ observation }] = await world.reset([0], [taskOf(Number(item), upstream)]);
      expect([item, hash(observation), layoutHash(Number(item))]).toEqual([item, opening, layout]);
    }
  });
  it('lays out the same grids from large seeds', () => {
    for (const [item, layout] of Object.entries(recorded.layouts))
      expect([item, layoutHash(Number(item))]).toEqual([item, layout]);
  });
  it('answers the same to text actions, valid and not', async () => {
    for (const { item, actions, score, texts } of recorded.episodes) {
      await world.reset([0], [taskOf(item, upstream)]);
      const answers = await play(0, actions);
      expect([item, hash(answers.map(({ observation }) => observation).join('\n'))]).toEqual([item, texts]);
      expect(answers.at(-1)!.reward).toBe(score);
    }
  });
  it('moves the same under low-level actions', () => {
    for (const { item, actions, places, end } of recorded.low) {
      wasm.generate([0], [{ level: (item % 40) + 1, seed: Math.floor(item / 40), upstream: true, compact: false }]);
      const path = Array.from(actions, (action) => {
        wasm.actOne(0, Number(action));
        const { x, y, dir } = wasm.facts(0);
        return [x, y, dir];
      });
      expect([item, path.at(-1), hash(path.join(';'))]).toEqual([item, end, places]);
    }
  });
  it.each(['starts', 'gen', 'hl', 'll'])('agrees completely with %s', async (name) => {
    const file = `${goldenFolder}/babyai/${name}.jsonl.gz`;
    if (!hasGolden(`babyai/${name}.jsonl.gz`))
      return console.log(`skipped: there is no ${file} (TABGYM_GOLDEN names the folder)`);
    const { agree, total, first } = await replayBabyai(file);
    expect(first).toBeNull();
    expect(total).toBeGreaterThan(200);
    expect(agree).toBe(total);
  });
});

describe('worlds', () => {
  it('can be made from any seed, 1,000 of every level', { tags: 'slow' }, async () => {
    const times = await makeEveryLevel(world, 1000, 10_000);
    expect(times.map(({ level }) => level)).toEqual(levels);
  });
  it('can be made where the original never returns: a room in which every pose faces an object', async () => {
    const [start] = await world.reset([0], [taskOf(itemOf(35, 5139))]);
    expect(start.observation).toMatch(/^Your goal: /);
  });
  it('take seeds of any size', () => {
    const at = (seed: number | bigint) => {
      wasm.generate([0], [{ level: 5, seed, upstream: false, compact: false }]);
      return gridText(0);
    };
    expect(at(2n ** 32n)).not.toBe(at(0));
    expect(at(123456789n)).toBe(at(123456789));
    expect(at(2n ** 200n + 1n)).not.toBe(at(1));
    expect(() => at(2n ** 500n)).toThrow(/at most 416 bits/);
    expect(() => at(-1)).toThrow(/whole number, 0 or more/);
  });
  it('are the same in a batch of 600 as alone', async () => {
    const slots = Array.from({ length: 600 }, (_, k) => 1000 + k);
    const tasks = slots.map((_, k) => taskOf(k * 41));
    let batch = await world.reset(slots, tasks);
    const histories = batch.map(({ observation }) => [observation]);
    const taken: string[][] = slots.map(() => []);
    for (let turn = 0; turn < 5; turn++) {
      const actions = batch.map(({ validActions }, k) => randomAction(validActions!, 3, k, turn));
      batch = await world.step(slots, actions);
      for (const [k, { observation }] of batch.entries()) {
        histories[k].push(observation);
        taken[k].push(actions[k]);
      }
    }
    for (let k = 0; k < 600; k += 7) {
      const [start] = await world.reset([1000 + k], [tasks[k]]);
      const single = [start, ...(await play(1000 + k, taken[k]))].map(({ observation }) => observation);
      // The text that ends a finished episode contains the slot, which is the same here.
      expect(single).toEqual(histories[k]);
    }
  });
  it('run by the thousand in one instance', async () => {
    const fresh = await BabyAi.open();
    const slots = Array.from({ length: 4000 }, (_, k) => k);
    const starts = await fresh.reset(
      slots,
      slots.map((k) => taskOf(k)),
    );
    await fresh.step(
      slots,
      starts.map(({ validActions }) => validActions![0]),
    );
    const [[single], [ofMany]] = [await world.reset([0], [taskOf(3999)]), await fresh.reset([17], [taskOf(3999)])];
    expect(ofMany).toEqual(single);
    expect(starts[3999]).toEqual(single);
    expect(new Set(starts.map(({ observation }) => observation)).size).toBeGreaterThan(3000);
  });
  it('never trap, on any input', async () => {
    const report = await fuzzBabyai(world, 20_000, 7);
    expect(report.problems).toEqual([]);
    expect(report.actions).toBeGreaterThanOrEqual(20_000);
    expect(report.valid).toBeGreaterThan(5000);
    expect(report.successes).toBeGreaterThan(50);
  });
  it('keep their memory bounded over many episodes', async () => {
    const fresh = await BabyAiWasm.open();
    const slots = Array.from({ length: 64 }, (_, k) => k);
    const round = (seed: number) => {
      fresh.reset(
        slots,
        slots.map((k) => ({ level: (k % 40) + 1, seed: seed * 64 + k, upstream: false, compact: false })),
      );
      fresh.step(
        slots,
        slots.map(() => 'turn left'),
      );
      fresh.oracle(seed % 64);
    };
    round(0);
    const settled = fresh.memoryBytes();
    for (let seed = 1; seed < 60; seed++) round(seed);
    expect(fresh.memoryBytes()).toBe(settled);
  });
});

describe('actions', () => {
  it('are lowered and stripped as in Python', () => {
    expect(plainAction(' \x1fTurn LEFT\u3000\x85')).toBe('turn left');
    // U+FEFF is not whitespace in Python; the Kelvin sign becomes an ordinary k in lower case.
    expect(plainAction('\ufeffturn left')).toBe('?turn left');
    expect(plainAction('CHEC\u212a')).toBe('check');
    expect(plainAction('x'.repeat(1000))).toBe('?');
    expect(plainAction(`${'x'.repeat(1000)}check`)).toBe('check');
  });
  it('must name things as in the list', async () => {
    await world.reset([0], [taskOf(0)]);
    for (const action of [
      'go to grey key 01',
      'go to grey key',
      'go to grey key 1 1',
      'turn  left',
      'pick up grey key 1',
      'goto grey key 1',
      '',
    ]) {
      const [answer] = await world.step([0], [action]);
      expect([action, answer.valid]).toEqual([action, false]);
    }
    expect((await world.step([0], ['GO TO grey key 1 ']))[0].valid).toBe(true);
  });
});

describe('our rules and the original’s', () => {
  /** Plays tasks of a level until an episode ends with this text. */
  async function endings(level: number, options: WorldOptions, text: RegExp): Promise<Feedback[]> {
    const found: Feedback[] = [];
    const slots = Array.from({ length: 64 }, (_, k) => k);
    let answers = await world.reset(
      slots,
      slots.map((seed) => taskOf(itemOf(level, seed), options)),
    );
    for (let turn = 0; turn < 60; turn++) {
      const before = answers;
      answers = await world.step(
        slots,
        slots.map((k) => randomAction(before[k].validActions!, 5, k, turn)),
      );
      found.push(...answers.filter((answer, k) => !before[k].done && text.test(answer.observation)));
    }
    return found;
  }
  it('a completed task is over; upstream continues after a late success', async () => {
    const ours = await endings(4, {}, /The task is completed\./);
    expect(ours.length).toBeGreaterThan(20);
    for (const { done, reward } of ours) expect([done, reward > 0.05 && reward <= 1]).toEqual([true, true]);
    const theirs = await endings(4, upstream, /The task is completed\./);
    expect(theirs.some(({ done }) => !done)).toBe(true);
  });
  it('a failed task reports its failure and is over; upstream calls it completed and continues', async () => {
    const ours = await endings(20, {}, /The task has failed\./);
    expect(ours.length).toBeGreaterThan(5);
    for (const { done, reward } of ours) expect([done, reward]).toEqual([true, 0]);
    const theirs = await endings(20, upstream, /The task is completed\./);
    expect(theirs.some(({ done, reward }) => !done && reward === 0)).toBe(true);
  });
  it('the time limit ends an episode; upstream ignores it', async () => {
    for (const { done, reward } of await endings(4, {}, /The time is up\./)) expect([done, reward]).toEqual([true, 0]);
    const walls = async (options: WorldOptions) => {
      await world.reset([0], [taskOf(itemOf(4, 0), options)]);
      return (
        await play(
          0,
          Array.from({ length: 40 }, () => 'turn left'),
        )
      ).findIndex(({ done }) => done);
    };
    expect(await walls({})).toBe(15);
    expect(await walls(upstream)).toBe(-1);
  });
  it('repeated calls do not raise the score; upstream adds the last reward on every call', async () => {
    const wait = Array.from({ length: 12 }, () => 'turn left');
    let met = 0;
    for (let seed = 0; seed < 50; seed++) {
      await world.reset([0, 1], [taskOf(itemOf(4, seed), upstream), taskOf(itemOf(4, seed))]);
      const go = (await play(0, wait)).at(-1)!.validActions!.find((action) => action.startsWith('go to'));
      await play(1, wait);
      if (!go) continue;
      const [theirs, ours] = await world.step([0, 1], [go, go]);
      if (theirs.reward <= 0) continue;
      met++;
      expect([theirs.done, ours.done, ours.reward]).toEqual([false, true, theirs.reward]);
      const [more, still] = await world.step([0, 1], ['nonsense', 'nonsense']);
      expect([more.reward, still.reward]).toEqual([2 * theirs.reward, ours.reward]);
    }
    expect(met).toBeGreaterThan(3);
  });
  it('level 26 can be solved: a box right ahead can be opened; upstream cannot open it', async () => {
    await world.reset([0, 1], [taskOf(itemOf(26, 0)), taskOf(itemOf(26, 0), upstream)]);
    const [plan, none] = await world.oracle([0, 1]);
    expect(none).toBeNull();
    expect(plan).toContain('toggle');
    expect((await play(0, plan!)).at(-1)).toMatchObject({ done: true, valid: true });
  });
  it('level 16 continues when its first door is opened; upstream fails it', async () => {
    let met = 0;
    for (let seed = 0; seed < 60; seed++) {
      const [start] = await world.reset([0, 1], [taskOf(itemOf(16, seed)), taskOf(itemOf(16, seed), upstream)]);
      wasm.generate([0], [{ level: 16, seed, upstream: true, compact: false }]);
      const [, color] = /^open the (\w+) door, then/.exec(wasm.mission(0)) ?? [];
      const go = `go to ${color} closed door 1`;
      if (!start.validActions!.includes(go)) continue;
      met++;
      const [ours] = (await play(0, [go, 'toggle'])).slice(-1);
      expect([ours.done, ours.observation.includes('The task')]).toEqual([false, false]);
      const [theirs] = (await play(1, [go, 'toggle'])).slice(-1);
      expect([theirs.reward, theirs.observation.includes('The task is completed.')]).toEqual([0, true]);
      expect((await play(0, (await world.oracle([0]))[0]!)).at(-1)).toMatchObject({ done: true });
    }
    expect(met).toBeGreaterThan(3);
  });
});

describe('the compact observation', () => {
  it('has the same content in a shorter text, without the list', async () => {
    const [full, compact] = await world.reset([0, 1], [taskOf(0), taskOf(0, { observation: 'compact' })]);
    expect(compact.observation).toBe(
      'goal: GO TO THE RED BALL\ngrey key 1 ahead 1 left 1; grey ball 1 ahead 1 right 1; grey key 2 ahead 2 left 1; grey key 3 ahead 2 right 1; grey box 1 ahead 2 right 2; grey ball 2 ahead 5 right 1; grey key 4 ahead 4 right 2; red ball 1 ahead 4 right 3; wall ahead 6; carrying nothing',
    );
    expect(compact.validActions).toEqual(full.validActions!.filter((action) => action !== 'check available actions'));
    const [next] = await world.step([1], ['go to red ball 1']);
    expect(next.observation).toMatch(/^red ball 1 ahead 1; .*carrying nothing\n The task is completed\.$/s);
    expect(next.done).toBe(true);
  });
});

describe('tasks', () => {
  it('are 18 levels: 45 training worlds each, and AgentGym’s 90 for the test', async () => {
    const train = await world.tasks({}, 'train');
    const test = await world.tasks({}, 'test');
    expect([train.length, test.length]).toEqual([18 * 45, 90]);
    const ids = new Set(test.map(({ id }) => id));
    expect([ids.size, Math.min(...ids), Math.max(...ids)]).toEqual([90, 1804, 12875]);
    expect(new Set(train.map(({ id }) => id)).size).toBe(18 * 45);
    expect(train.filter(({ id }) => ids.has(id))).toEqual([]);
    for (const level of RL_LEVELS) expect(test.filter(({ strata }) => strata.level === level)).toHaveLength(5);
    expect(test.filter(({ strata }) => strata.family === 'GoTo')).toHaveLength(55);
    for (const { id, strata } of [...train, ...test]) expect((id % 40) + 1).toBe(strata.level);
  });
  it('can be more, and of any level', async () => {
    const options = { levels: [39, 2], trainSeeds: 100, testSeeds: 30 };
    const train = await world.tasks(options, 'train');
    const test = await world.tasks(options, 'test');
    expect([train.length, test.length]).toEqual([200, 60]);
    const ids = new Set(train.map(({ id }) => id));
    expect(test.some(({ id }) => ids.has(id))).toBe(false);
    expect(itemsOf(39, 'test', 0)).toHaveLength(5);
  });
  it('for tuning are separate: neither for training nor for the test, at the largest number of each', async () => {
    const most = { levels: [39], trainSeeds: 100_000, testSeeds: 100_000 };
    const ids = new Set<number>();
    for (const [options, split] of [
      [most, 'train'],
      [most, 'test'],
      [{ ...most, heldOut: 'dev' }, 'test'],
    ] as const)
      for (const { id } of await world.tasks(options, split)) ids.add(id);
    expect(ids.size).toBe(300_000);
    expect(await world.tasks({ ...most, testSeeds: 0, heldOut: 'dev' }, 'test')).toHaveLength(5);
  });
  const refused = [
    [{ levels: [41] }, /options\.levels\.0: .*at most 40.*it is 41/s],
    [{ levels: [] }, /options\.levels: .*at least one/s],
    [{ levels: [1, 1] }, /options\.levels: .*repeat/s],
    [{ observation: 'short' }, /options\.observation: .*one of: full, compact, memory, frontier .*"short"/s],
    [{ trainSeeds: 0 }, /options\.trainSeeds: .*at least 1/s],
    [{ upstream: 1 }, /options\.upstream: .*true or false/s],
    [{ level: 3 }, /options\.level: .*no such option/s],
  ] as const;
  it.each(refused)('%j is refused by path and bound', async (options, message) => {
    await expect(world.tasks(options as never, 'train')).rejects.toThrow(message);
    await expect(world.reset([0], [taskOf(0, options as never)])).rejects.toThrow(WorldError);
  });
  it('slots, ids and lengths are checked', async () => {
    await expect(world.reset([-1], [taskOf(0)])).rejects.toThrow(/slot must be a whole number/);
    await expect(world.reset([0, 1], [taskOf(0)])).rejects.toThrow(/2 slots, 1 entries/);
    await expect(world.step([60_000], ['x'])).rejects.toThrow(/reset it with a task first/);
    await expect(world.reset([0], [taskOf(-1)])).rejects.toThrow(/whole numbers, 0 or more/);
  });
});

describe('the view', () => {
  it('shows the grid and the field of view, and describes it as text', async () => {
    await world.reset([0], [taskOf(0)]);
    const view = (await world.view(0)) as BabyAiView;
    expect([view.cells.length, view.cells[0].length, view.level, view.maxSteps]).toEqual([8, 8, 1, 64]);
    expect(view.agent).toEqual({ x: 6, y: 5, direction: 'left' });
    expect(view.cells[2][2]).toEqual({ type: 'ball', color: 'red', state: '', seen: true });
    expect(view.cells[5][7].seen).toBe(false);
    expect(view.text).toBe(
      'Goal: go to the red ball. A grid of 8 columns and 8 rows. The agent is at column 7, row 6, facing left, carrying nothing. It sees: red ball at column 3, row 3; grey key at column 3, row 4; grey box at column 5, row 4; grey ball at column 2, row 5; grey key at column 5, row 5; grey ball at column 6, row 5; grey key at column 5, row 7; grey key at column 6, row 7.',
    );
  });
  it('follows the agent: the cells it sees are those in the observation', async () => {
    for (const level of levels) {
      await world.reset([0], [taskOf(itemOf(level, 11))]);
      await play(0, ['turn left', 'move forward', 'move forward', 'turn right', 'move forward']);
      const [{ observation }] = await world.step([0], ['turn left']);
      const after = (await world.view(0)) as BabyAiView;
      const named = observation.match(/There is a/g)?.length ?? 0;
      const shown = after.cells.flat().filter(({ seen, type }) => seen && !['empty', 'wall'].includes(type)).length;
      const own = after.cells[after.agent.y][after.agent.x].type === 'door' ? 1 : 0;
      expect([level, named]).toEqual([level, shown - own]);
    }
  });
});
