// The reader of trajectories without a page: lists and their order, gzip, the records kept after a stop, written files.
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TrajectoryFile } from '../../src/trajectories/files/file.ts';
import { MemorySpill } from '../../src/trajectories/files/gzip.ts';
import { recordOf } from '../../src/trajectories/files/lossless.ts';
import { pairFields, rejectedOf } from '../../src/trajectories/files/pairs.ts';
import { Reader, type ReaderState } from '../../src/trajectories/files/reader.ts';
import type { Message, TrajectoryRecord } from '../../src/trajectories/files/record.ts';
import {
  type Filter,
  filteredRecords,
  noFilter,
  orderKeys,
  type RecordOrder,
} from '../../src/trajectories/files/record-filter.ts';
import { RecordIndex, type RecordSummary } from '../../src/trajectories/files/record-index.ts';
import { trajectoryFormat, trajectoryFormats } from '../../src/trajectories/files/registry.ts';
import { Splitter } from '../../src/trajectories/files/splitter.ts';
import { aTrajectory } from '../../tools/fuzz/made-trajectory.ts';
import { sourceOf } from '../../tools/fuzz/trajectory-files.ts';

const names = fc.string({ unit: 'grapheme', maxLength: 12 });
const summaries: fc.Arbitrary<RecordSummary> = fc.record({
  line: fc.nat(2 ** 32 - 1),
  offset: fc.nat(2 ** 40),
  bytes: fc.nat(64e6),
  format: fc.constantFrom(...trajectoryFormats.map(({ name }) => name)),
  itemId: fc.option(names),
  world: fc.option(names),
  item: fc.option(fc.nat(1e9)),
  family: fc.option(names),
  reward: fc.option(fc.double({ noNaN: true })),
  success: fc.option(fc.boolean()),
  turns: fc.nat(1000),
  step: fc.option(fc.nat(1e6)),
});

const indexOf = (all: readonly RecordSummary[]) => {
  const index = new RecordIndex();
  for (const each of all) index.add(each);
  return index;
};

describe('the index', () => {
  it('returns every summary unchanged', () => {
    fc.assert(
      fc.property(fc.array(summaries, { maxLength: 200 }), (all) => {
        expect([...indexOf(all)]).toEqual(all);
      }),
    );
  });

  it('lists the matching records in order, ties in file order and unknown values last', () => {
    const filters: fc.Arbitrary<Filter> = fc.record({
      success: fc.constantFrom('any', 'yes', 'no', 'unknown'),
      world: fc.option(fc.constantFrom('', 'a', 'b', 'c')),
      family: fc.option(fc.constantFrom('level 1', 'level 2', 'level 3')),
      leastScore: fc.option(fc.constantFrom(-1, 0, 0.5)),
      mostScore: fc.option(fc.constantFrom(0, 0.5, 2)),
      leastTurns: fc.option(fc.nat(3)),
      mostTurns: fc.option(fc.nat(3)),
      step: fc.option(fc.nat(2)),
      text: fc.constant(''),
    });
    const sortings: fc.Arbitrary<RecordOrder> = fc.record({
      by: fc.constantFrom(...orderKeys),
      descending: fc.boolean(),
    });
    const few = summaries.chain((each) =>
      fc.record({
        ...Object.fromEntries(Object.entries(each).map(([key, value]) => [key, fc.constant(value)])),
        world: fc.option(fc.constantFrom('a', 'b')),
        family: fc.option(fc.constantFrom('level 1', 'level 2')),
        reward: fc.option(fc.constantFrom(-1, 0, 0.5, 1)),
        turns: fc.nat(3),
        step: fc.option(fc.nat(2)),
      }),
    ) as fc.Arbitrary<RecordSummary>;
    fc.assert(
      fc.property(fc.array(few, { maxLength: 40 }), filters, sortings, (all, filter, sorting) => {
        expect([...filteredRecords(indexOf(all), filter, sorting)]).toEqual(plainly(all, filter, sorting));
      }),
    );
  });
});

/** The same list, computed directly from the rules. */
function plainly(all: readonly RecordSummary[], filter: Filter, { by, descending }: RecordOrder): number[] {
  const passes = ({ success, world, family, reward, turns, step }: RecordSummary) =>
    (filter.success === 'any' || success === { yes: true, no: false, unknown: null }[filter.success]) &&
    (filter.world === null || (world ?? '') === filter.world) &&
    (filter.family === null || family === filter.family) &&
    ((filter.leastScore === null && filter.mostScore === null) ||
      (reward !== null && reward >= (filter.leastScore ?? -Infinity) && reward <= (filter.mostScore ?? Infinity))) &&
    turns >= (filter.leastTurns ?? 0) &&
    turns <= (filter.mostTurns ?? Infinity) &&
    (filter.step === null || step === filter.step);
  const key = (i: number): string | number | null => {
    const { reward, success, turns, bytes, world, step } = all[i];
    return { place: i, score: reward, success: success === null ? null : Number(success), turns, bytes, world, step }[
      by
    ];
  };
  const kept = all.flatMap((each, i) => (passes(each) ? [i] : []));
  const known = kept.filter((i) => key(i) !== null);
  known.sort((a, b) => {
    const [x, y] = [key(a)!, key(b)!];
    return x === y ? a - b : x < y === !descending ? -1 : 1;
  });
  return [...known, ...kept.filter((i) => key(i) === null)];
}

const episode = (n: number, extra = {}) => ({
  item_id: `textcraft_${n >> 1}`,
  conversations: [
    { from: 'human', loss: null, value: `Goal ${n >> 1}` },
    { from: 'gpt', loss: true, value: `get ${n} oak log` },
  ],
  reward: n % 2,
  success: n % 2,
  ...extra,
});
const text = (count: number) => Array.from({ length: count }, (_, n) => JSON.stringify(episode(n))).join('\n');
const bytesOf = (some: string) => new TextEncoder().encode(some);

describe('a compressed file', () => {
  const two = new Uint8Array([...gzipSync(`${text(300)}\n`), ...gzipSync(text(5), { level: 0 })]);

  it('is read like its text, also with several members, in chunks of any size', async () => {
    for (const size of [1, 13, 1 << 16]) {
      const file = await TrajectoryFile.open(sourceOf(two, size));
      expect([file.records.length, file.refused]).toEqual([305, 0]);
      expect((await file.read(304)).messages?.[1].content).toBe('get 4 oak log');
    }
  });

  it('that is truncated or damaged keeps the records before, and reports it', async () => {
    const packed = new Uint8Array(gzipSync(text(2000)));
    for (const cut of [packed.length - 1, packed.length - 9, packed.length >> 1]) {
      const file = await TrajectoryFile.open(sourceOf(packed.slice(0, cut), 512));
      expect(file.records.length).toBeGreaterThan(100);
      expect(file.problems.at(-1)?.message).toMatch(/cut off or damaged|checksum/);
    }
    const flipped = packed.slice();
    flipped[packed.length - 6] ^= 1;
    const file = await TrajectoryFile.open(sourceOf(flipped));
    expect([file.records.length, file.refused]).toEqual([2000, 1]);
    expect(file.problems[0].message).toContain('checksum');
    await expect(TrajectoryFile.open(sourceOf(packed.slice(0, 12)))).rejects.toThrow('cut off or damaged');
  });

  it('is unpacked only up to the available room', async () => {
    const packed = new Uint8Array(gzipSync(text(2000)));
    const opening = TrajectoryFile.open(sourceOf(packed), { spill: () => new MemorySpill(1000) });
    await expect(opening).rejects.toThrow('unpack it first');
  });

  it('spills into pieces that are found again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 9 }),
        fc.nat(40),
        fc.nat(40),
        async (pieces, a, b) => {
          const spill = new MemorySpill();
          for (const piece of pieces) spill.write(Uint8Array.from(piece));
          const all = pieces.flatMap((piece) => [...piece]);
          const [from, to] = [Math.min(a, b, all.length), Math.max(a, b)];
          expect([...(await spill.slice(from, to))]).toEqual(all.slice(from, to));
        },
      ),
    );
  });
});

it('a record that is too long is dropped and reported, and the rest is kept', () => {
  const splitter = new Splitter(100);
  const whole = `{"a":"${'x'.repeat(500)}"}\n{"b":1}\n`;
  const pieces = [...whole].flatMap((letter) => splitter.push(bytesOf(letter)));
  expect(pieces.map(({ tooLong, bytes, line }) => [tooLong, bytes.length, line])).toEqual([
    [true, 0, 1],
    [false, 7, 2],
  ]);
});

describe('a reader', () => {
  const opened = async (body: string | Uint8Array<ArrayBuffer>, name = 'play.jsonl') => {
    const reader = new Reader();
    const states: ReaderState[] = [];
    await reader.openFile(new Blob([body]), name, (state) => states.push(state));
    return { reader, states, last: () => states.at(-1)! };
  };

  it('lists, searches, and reports its progress', async () => {
    const { reader, last } = await opened(`${text(100)}\n{"item_id"`);
    expect(last()).toMatchObject({ phase: 'ready', records: 100, shown: 100, refused: 1, worlds: ['textcraft'] });
    await reader.arrange({ ...noFilter, text: 'GET 7' }, { by: 'turns', descending: true });
    expect((await reader.rows(0, 99)).map(({ index }) => index)).toEqual([7, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79]);
    expect(await reader.placeOf(70)).toBe(1);
    expect(await reader.placeOf(3)).toBe(-1);
    await reader.arrange(noFilter, { by: 'score', descending: true });
    expect((await reader.rows(0, 2)).map(({ index }) => index)).toEqual([1, 3]);
    expect(() => reader.read(100)).toThrow('it has 100');
  });

  it('writes the selection in every format, and reads it back the same', async () => {
    for (const format of trajectoryFormats.filter(({ name }) => !['agentgym-dpo', 'trl-preference'].includes(name))) {
      const { reader } = await opened(text(10));
      await expect(reader.write(format.name)).rejects.toThrow('Nothing is selected');
      await reader.select([2, 3, 8], true);
      const { blob, records, lost } = await reader.write(format.name);
      expect(records).toBe(3);
      const back = await TrajectoryFile.open(sourceOf(await blob.text()));
      expect([...back.records].map((each) => each.format)).toEqual([format.name, format.name, format.name]);
      const { messages } = await back.read(1);
      if (messages) expect(messages.map(({ content }) => content)).toEqual(['Goal 1', 'get 3 oak log']);
      else expect(lost.map(([what]) => what)).toContain('its messages');
    }
  });

  it('makes pairs of one task, the better one chosen, and counts those without a partner', async () => {
    const { reader } = await opened(text(7));
    await reader.select('all', true);
    for (const name of ['agentgym-dpo', 'trl-preference']) {
      const { blob, records, left } = await reader.write(name);
      expect([records, left]).toEqual([3, 1]);
      const file = await TrajectoryFile.open(sourceOf(await blob.text()));
      expect([...file.records].every((each) => each.format === name)).toBe(true);
      const record = await file.read(2);
      expect(record.messages?.map(({ content }) => content)).toEqual(['Goal 2', 'get 5 oak log']);
      expect(rejectedOf(record)?.messages?.map(({ content }) => content)).toEqual(['Goal 2', 'get 4 oak log']);
    }
    await reader.select('all', false);
    await reader.select([0, 2], true);
    await expect(reader.write('agentgym-dpo')).rejects.toThrow('The selection has no pair');
  });

  it('keeps the records read before a stop', async () => {
    const reader = new Reader();
    const states: ReaderState[] = [];
    const body = text(60_000);
    await reader.openFile(new Blob([body]), 'long.jsonl', (state) => {
      states.push(state);
      if (state.records > 0) void reader.cancel();
    });
    const last = states.at(-1)!;
    expect(last.phase).toBe('stopped');
    expect(last.records).toBeGreaterThan(0);
    expect(last.records).toBeLessThan(60_000);
    expect((await reader.rows(0, 1))[0].itemId).toBe('textcraft_0');
  });

  it('reads the episodes of a run over its steps, and counts missing steps', async () => {
    const steps = [[aTrajectory(1), aTrajectory(2)], null, [aTrajectory(3)]];
    const reader = new Reader();
    let last: ReaderState | null = null;
    await reader.openRun(
      'a run',
      3,
      async (step) => steps[step - 1],
      (state) => {
        last = state;
      },
    );
    expect(last).toMatchObject({ kind: 'run', records: 3, missing: 1, steps: true, phase: 'ready' });
    expect((await reader.rows(0, 3)).map(({ step, item }) => [step, item])).toEqual([
      [1, 7],
      [1, 14],
      [3, 21],
    ]);
    expect((await reader.read(2)).messages).toEqual(recordOf(aTrajectory(3)).messages);
    expect(await reader.runPlaceOf(2)).toEqual({ step: 3, group: 3, member: 3 });
    await reader.arrange({ ...noFilter, text: 'goal 2:' }, { by: 'place', descending: false });
    expect((await reader.rows(0, 3)).map(({ index }) => index)).toEqual([1]);
  });
});

describe('pairs', () => {
  const message = (role: Message['role'], content: string): Message => ({
    ...{ role, content, trained: null, reasoning: null, source: null },
  });
  const record = (...contents: string[]): TrajectoryRecord => ({
    ...{ itemId: 'maze_3', world: 'maze', item: 3, reward: 1, success: true, source: null },
    messages: contents.map((content, i) => message(i % 2 ? 'assistant' : 'user', content)),
  });
  const format = trajectoryFormat('agentgym-dpo');

  it('share AgentGym’s instruction, its acknowledgement and the first observation', () => {
    const fields = pairFields(
      record('Do.', 'OK. I will.', 'A', 'up'),
      record('Do.', 'OK. I will.', 'A', 'down'),
      format,
    );
    expect(fields).toMatchObject({ id: 3 });
    expect((fields!.prompt as unknown[]).length).toBe(3);
  });

  it('need the same beginning', () => {
    expect(pairFields(record('A', 'up'), record('B', 'up'), format)).toBeNull();
    expect(pairFields(record('up'), record('up', 'x', 'y'), format)).toBeNull();
  });
});
