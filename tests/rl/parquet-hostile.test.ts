/** Parquet files whose pages, columns or footers lie. `tests/fixtures/parquet-forge.ts` writes them. */
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/store/crc32.ts';
import { TrajectoryFile } from '../../src/trajectories/files/file.ts';
import { sourceOf } from '../../tools/fuzz/trajectory-files.ts';
import {
  type Column,
  encodings,
  int32,
  lengthOf,
  type Page,
  parquet,
  struct,
  texts,
  types,
  varint,
  zigzag,
} from '../fixtures/parquet-forge.ts';

const talk = '[{"from":"human","value":"hi"}]';
/** The columns of two trajectories, and others. */
const withColumns = (...others: Column[]) => [
  texts('item_id', ['textcraft_1', 'textcraft_2']),
  texts('conversations', [talk, talk], { 6: int32(19) }),
  ...others,
];
const open = (bytes: Uint8Array) => TrajectoryFile.open(sourceOf(bytes));
const column = (type: number, ...pages: Page[]): Column => ({ name: 'x', type, pages });
const valuesOf = async (file: TrajectoryFile) => {
  const values: unknown[] = [];
  for (let i = 0; i < file.records.length; i++) values.push((await file.read(i)).source!.fields.x);
  return values;
};
const read = async (...columns: Column[]) => valuesOf(await open(parquet(withColumns(...columns), 2)));
const refused = (column: Column, reason: string) => refusedFile(parquet(withColumns(column), 2), reason);
const refusedFile = (bytes: Uint8Array, reason: string) => expect(open(bytes)).rejects.toThrow(reason);

/** Differences: a block of 128 in 4 parts of 32. Absent `count`: of a page of two values. */
const deltas = (first: number, change: number, { count = 2, width = 0, packed = [] as number[] } = {}) => [
  ...varint(128),
  ...varint(4),
  ...varint(count),
  ...zigzag(first),
  ...zigzag(change),
  ...[width, 0, 0, 0],
  ...packed,
];
const ofDeltas = (body: number[]): Page => ({ values: 2, encoding: encodings.DELTAS, body });
const endless = [...new Array<number>(100_000).fill(255), 1];
const ascii = (text: string) => [...Buffer.from(text)];

describe('differences are read', () => {
  it('of numbers', async () => {
    const packed = [...deltas(5, -3, { width: 8, packed: [10, ...new Array<number>(31).fill(0)] })];
    expect(await read(column(types.INT64, ofDeltas(packed)))).toEqual([5, 12]);
    expect(await read(column(types.INT32, ofDeltas(packed)))).toEqual([5, 12]);
  });

  it('of lengths, and of texts that begin alike', async () => {
    const lengths = [...deltas(5, -2), ...ascii('applefig')];
    expect(await read(column(types.TEXT, { values: 2, encoding: encodings.DELTA_LENGTHS, body: lengths }))).toEqual([
      'apple',
      'fig',
    ]);
    const alike = [...deltas(0, 4), ...deltas(5, -4), ...ascii('appley')];
    expect(await read(column(types.TEXT, { values: 2, encoding: encodings.DELTA_TEXTS, body: alike }))).toEqual([
      'apple',
      'apply',
    ]);
  });
});

describe('differences are refused', () => {
  it('whose numbers have no end, are too wide or too many', async () => {
    const body = [...varint(128), ...varint(4), ...varint(2), ...endless, 0, 0, 0, 0, 0];
    await refused(column(types.INT64, ofDeltas(body)), 'a number has more than 10 bytes');
    await refused(column(types.INT64, ofDeltas(deltas(5, 1, { width: 65 }))), 'differences of 65 bits');
    await refused(column(types.INT64, ofDeltas(deltas(5, 1, { count: 3 }))), '3 differences in a page of 2 values');
    await refused(column(types.INT64, ofDeltas([...varint(2 ** 31), 1, 2, 0, 0, 0])), 'blocks of 2147483648');
    await refused(column(types.INT64, ofDeltas([...varint(128), ...varint(2 ** 32), 2, 0, 0])), 'in 4294967296 parts');
    await refused(column(types.INT64, ofDeltas(deltas(5, 1, { width: 8 }))), 'differences end behind their page');
  });

  it('whose texts have less than no length, or end behind the page', async () => {
    const page = (body: number[]): Page => ({ values: 2, encoding: encodings.DELTA_LENGTHS, body });
    await refused(column(types.TEXT, page([...deltas(1, -2), ...ascii('a')])), 'a text of -1 bytes');
    await refused(column(types.TEXT, page([...deltas(1, 100), ...ascii('a')])), 'a text ends behind its page');
  });

  it('that repeat more than the text before has, or fill the memory', async () => {
    const page = (body: number[], values = 2): Page => ({ values, encoding: encodings.DELTA_TEXTS, body });
    const more = [...deltas(0, 6), ...deltas(5, -4), ...ascii('appley')];
    await refused(column(types.TEXT, page(more)), 'a text repeats 6 bytes of one of 5');
    // 20,000 texts, each the 60,000 bytes of the first: 1.2 GB of a page of 61 KB.
    const none = new Array<number[]>(156).fill([0, 0, 0, 0, 0]).flat();
    const wide = lengthOf(60_000).slice(0, 2);
    const header = [...varint(128), ...varint(4), ...varint(20_001)];
    const prefixes = [...header, ...zigzag(0), 0, 16, 0, 0, 0, ...wide, ...new Array<number>(62).fill(0), ...none];
    const others = new Array<number[]>(127).fill(wide).flat();
    const suffixes = [...header, ...zigzag(60_000), ...zigzag(-60_000), 16, 16, 16, 16, 0, 0, ...others, ...none];
    const body = [...prefixes, ...suffixes, ...new Array<number>(60_000).fill(97)];
    await refused(column(types.TEXT, page(body, 20_001)), 'column x: a group of rows unfolds to more than 1024 MiB');
  });
});

describe('pages are refused', () => {
  const plain: Page = { values: 2, encoding: encodings.PLAIN, body: new Array<number>(16).fill(0) };

  it('that have a second header of another kind, which is the one that is read', async () => {
    const lie = struct({ 1: int32(2), 2: int32(-(2 ** 31) + 2), 3: int32(2), 4: int32(0), 5: int32(0), 6: int32(0) });
    await refused(column(types.INT64, { ...plain, kind: 3, fields: { 8: lie } }), 'counts other rows or nulls');
  });

  it('that claim to unfold to gigabytes', async () => {
    await refused(
      column(types.INT64, { ...plain, size: 2 ** 31 - 1 }),
      'unfolds to 2147483647 bytes; at most 268435456',
    );
  });

  it('with a header whose numbers or lists have no end', async () => {
    await refused(
      column(types.INT64, { ...plain, fields: { 9: [6, endless] } }),
      'a number in a header has more than 10',
    );
    const listed: [number, number[]] = [9, [0xf5, ...varint(2 ** 31)]];
    await refused(column(types.INT64, { ...plain, fields: { 9: listed } }), 'a list of 2147483648 elements');
    const deep: [number, number[]] = [12, new Array<number>(30_000).fill(0x1c)];
    await refused(column(types.INT64, { ...plain, fields: { 9: deep } }), 'a header has more than 20 levels');
  });

  it('whose entries are not in the dictionary, or that have none', async () => {
    const dictionary: Page = { values: 1, encoding: 0, kind: 2, body: [...lengthOf(3), ...ascii('fig')] };
    const entries = (last: number): Page => ({
      values: 2,
      encoding: encodings.DICTIONARY,
      body: [8, 3, 0, last, 0, 0, 0, 0, 0, 0],
    });
    expect(await read(column(types.TEXT, dictionary, entries(0)))).toEqual(['fig', 'fig']);
    await refused(column(types.TEXT, dictionary, entries(1)), '1 where at most 0 may be');
    await refused(column(types.TEXT, entries(0)), 'entries of a dictionary and no dictionary');
  });

  it('that do not match their checksum', async () => {
    const crc = (value: number) => ({ 4: int32(value | 0) });
    expect(await read(column(types.INT64, { ...plain, fields: crc(crc32(Uint8Array.from(plain.body))) }))).toEqual([
      0, 0,
    ]);
    await refused(column(types.INT64, { ...plain, fields: crc(1) }), 'column x: a page does not match its checksum');
  });

  it('whose text is not UTF-8, or in an encoding that is not read', async () => {
    const body = [...lengthOf(1), 0xff, ...lengthOf(0)];
    await refused(column(types.TEXT, { values: 2, encoding: 0, body }), 'not valid for encoding utf-8');
    await refused(column(types.DOUBLE, { values: 2, encoding: encodings.ALP, body: [0] }), 'is not read');
  });
});

it('a byte-order mark in a text is kept', async () => {
  expect(await read(texts('x', ['\ufeffa', 'b']))).toEqual(['\ufeffa', 'b']);
});

describe('columns are refused', () => {
  it('that have fewer values than the file has rows, or whose rows are counted otherwise', async () => {
    await refused(texts('x', ['a']), 'column x: it has 1 rows, not 2');
    await refused({ ...texts('x', ['a', 'b']), values: 3 }, 'column x: it has 2 values, not 3');
    await refusedFile(parquet(withColumns(), 3, 2), 'it lists 3 rows and has 2');
  });

  it('that share their bytes, or their name', async () => {
    await refused({ ...texts('x', ['', '']), bytesOf: 'item_id' }, 'two columns share bytes from 4 on');
    await refusedFile(parquet(withColumns(texts('x', ['a', 'b']), texts('x', ['c', 'd'])), 2), 'have one name');
  });

  it('with a name or of a kind that would lose their values', async () => {
    await refusedFile(parquet(withColumns(texts('__proto__', ['a', 'b'])), 2), 'has a name that objects cannot have');
    const variant = texts('x', ['a', 'b'], { 10: struct({ 16: struct({}) }) });
    await refused(variant, 'column x is of the kind VARIANT');
  });
});

it('a footer is refused whose numbers have no end', async () => {
  const bytes = Buffer.from(parquet(withColumns(), 2));
  const footer = [...struct({ 1: int32(1), 3: [6, endless] })[1]];
  const tail = [...lengthOf(footer.length), ...ascii('PAR1')];
  await refusedFile(
    Uint8Array.from([...bytes.subarray(0, 200), ...footer, ...tail]),
    'a number in a header has more than 10',
  );
});

it('a group of many rows is read once, row by row as it was written', async () => {
  const ids = Array.from({ length: 3000 }, (_, i) => `textcraft_${i}`);
  const file = await open(
    parquet(
      [
        texts('item_id', ids),
        texts(
          'conversations',
          ids.map(() => talk),
          { 6: int32(19) },
        ),
      ],
      3000,
    ),
  );
  expect([file.records.length, file.refused]).toEqual([3000, 0]);
  expect((await file.read(2999)).itemId).toBe('textcraft_2999');
});
