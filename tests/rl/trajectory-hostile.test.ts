/** Files of trajectories by somebody who wants them to be misread, or to stop the reader. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TrajectoryFile, writeRecords } from '../../src/trajectories/files/file.ts';
import type { TrajectoryRecord } from '../../src/trajectories/files/record.ts';
import { recognized, trajectoryFormats } from '../../src/trajectories/files/registry.ts';
import { made, sourceOf } from '../../tools/fuzz/trajectory-files.ts';

const open = (text: string | Uint8Array) => TrajectoryFile.open(sourceOf(text));
const talk = '[{"from":"human","value":"hi"}]';
const episode = (rest = '') => `{"item_id":"textcraft_1","conversations":${talk}${rest}}`;
/** The reason for which the second of two records is refused. */
async function refusal(second: string): Promise<string> {
  const file = await open(`${episode()}\n${second}\n`);
  expect([file.records.length, file.refused]).toEqual([1, 1]);
  return file.problems[0].message;
}
const own = ({ source }: TrajectoryRecord) => recognized(source!.fields)!;
async function writtenAgain(line: string): Promise<string> {
  const file = await open(line);
  const record = await file.read(0);
  return [...writeRecords([record], own(record))].join('').replace(/^\[\n|\n\]\n$|\n$/g, '');
}

describe('a record is refused by name', () => {
  const long = 'x'.repeat(100_000);

  it('that quotes a long text of the file', async () => {
    const { trajectory, ...rest } = made['tabgym-trajectory-1'](1) as { trajectory: object };
    const lines = [
      `{"item_id":"a_1","conversations":[{"from":"${long}","value":"a"}]}`,
      `{"messages":[{"role":"${long}","content":"a"}]}`,
      `{"${long}":1}`,
      `{"item_id":"${long}_1","conversations":${talk}}`,
      `{"item_id":${'9'.repeat(300)},"conversations":${talk}}`,
      JSON.stringify({ ...rest, trajectory: { ...trajectory, choices: { [long]: 1 } } }),
    ];
    for (const line of lines) expect((await refusal(line)).length).toBeLessThan(700);
  });

  it('whose levels would exhaust the stack when it is written', async () => {
    for (const [before, after] of [
      ['[', ']'],
      ['{"a":', '}'],
    ]) {
      const deep = `${before.repeat(20_000)}1${after.repeat(20_000)}`;
      expect(await refusal(episode(`,"x":${deep}`))).toContain('more than 100 levels');
    }
    const deepest = `${'['.repeat(99)}1${']'.repeat(99)}`;
    expect(await writtenAgain(episode(`,"x":${deepest}`))).toContain(deepest);
  });

  it('with a reward beyond every number', async () => {
    expect(await refusal(episode(',"reward":1e400'))).toContain('reward must be a number');
  });

  it('with a text that would become a number', async () => {
    for (const spelled of ['\\u0000int:5', '\\u0000\\u0069n\\u0074\\u003A5'])
      expect(await refusal(episode(`,"a":"${spelled}"`))).toContain('A text begins with');
  });
});

describe('a record is written as it was read', () => {
  it('with numbers that JavaScript does not hold', async () => {
    const line = episode(`,"a":[1e400,-1E+999,${'9'.repeat(400)},9007199254740993,0.5]`);
    expect(await writtenAgain(line)).toBe(line);
  });

  it('with texts that contain a mark of such numbers', async () => {
    const line = episode(',"a":["x\\"\\u0000int:5","\\u0000","\\\\\\u0000int:5"],"b":9007199254740993');
    expect(await writtenAgain(line)).toBe(line);
  });

  it('with very many escaped characters beside a large number', async () => {
    const line = episode(`,"a":"${'\\n'.repeat(6_000_000)}","b":9007199254740993`);
    expect((await writtenAgain(line)) === line).toBe(true);
  });

  it('with fields of messages that every object has', async () => {
    const fields = '"constructor":1,"prototype":2,"__proto__":{"a":1},"toJSON":3,"then":4';
    const line = `{"messages":[{"role":"user","content":"hi",${fields}}]}`;
    expect(JSON.parse(await writtenAgain(line))).toEqual(JSON.parse(line));
    expect(await writtenAgain(line)).toContain(fields);
  });

  it('with an item that is no place in a list', async () => {
    for (const item of ['-5', '1e+22']) {
      const line = `{"item_id":${item},"conversations":[{"role":"user","content":"a"}],"reward":1}`;
      expect(await writtenAgain(line)).toBe(line);
    }
  });
});

it('a call of a tool that is null has no name', async () => {
  const file = await open('{"messages":[{"role":"assistant","content":null,"tool_calls":[null]}]}');
  const record = await file.read(0);
  for (const format of trajectoryFormats) expect([...writeRecords([record], format)].join('')).not.toBe('');
});

it('after 50,000 refused records the rest is not read', async () => {
  const file = await open(`${episode()}\n${'x\n'.repeat(60_000)}${episode()}\n`);
  expect([file.records.length, file.refused]).toEqual([1, 50_000]);
  expect(file.problems[0]).toEqual({ line: 50_001, message: expect.stringContaining('are not read') });
  await expect(open('x\n'.repeat(60_000))).rejects.toThrow('Line 1: This is not JSON');
});

describe('a Parquet file', () => {
  const rows = new Uint8Array(readFileSync('tests/fixtures/rows.parquet'));

  /** The file with another number of rows in its footer. */
  function listing(count: bigint): Uint8Array {
    const bytes = Buffer.from(rows);
    const at = bytes.indexOf(Buffer.from([0x16, 0x04, 0x19]));
    expect(at).toBeGreaterThan(0);
    const varint: number[] = [];
    for (let rest = count * 2n; ; rest >>= 7n) {
      varint.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
      if (rest <= 127n) break;
    }
    const out = Buffer.concat([bytes.subarray(0, at + 1), Buffer.from(varint), bytes.subarray(at + 2)]);
    out.writeUInt32LE(bytes.readUInt32LE(bytes.length - 8) + varint.length - 1, out.length - 8);
    return new Uint8Array(out);
  }

  it('with its own number of rows is read', async () => {
    expect((await open(listing(2n))).records.length).toBe(2);
  });

  it('that lists rows which it does not have is refused', async () => {
    await expect(open(listing(63n))).rejects.toThrow('it lists 63 rows and has 2');
    await expect(open(listing(2n ** 40n))).rejects.toThrow('it lists 1099511627776 rows and has 2');
  });

  it('with a run that claims more values than its page has is refused', async () => {
    /** The file with other bytes at a place that has these. */
    const changed = (before: number[], after: number[]) => {
      const bytes = Buffer.from(rows);
      const at = bytes.indexOf(Buffer.from(before));
      expect(at).toBeGreaterThan(0);
      bytes.set(after, at);
      return new Uint8Array(bytes);
    };
    // A run of 134,217,727 levels, which ends the process where it is written out.
    const run = changed([0x03, 0x01, 0x01, 0x02, 0x00, 0x15], [0xfe, 0xff, 0xff, 0x7f, 0x01]);
    await expect(open(run)).rejects.toThrow('a run of 134217727 values in a page of 2');
  });
});
