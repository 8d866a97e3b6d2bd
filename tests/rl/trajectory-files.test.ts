// Files of trajectories: every format out and in again is equal, whatever the pieces it arrives in; what is malformed is named by
// line and takes nothing else with it; nothing that is not a record is taken for one.
import { describe, expect, it } from 'vitest';
import { hash } from '../../src/rl/random.ts';
import { type ByteSource, TrajectoryFile, written } from '../../src/rl/trajectory-files/file.ts';
import { recordOf, trajectoryFromJson, trajectoryToJson } from '../../src/rl/trajectory-files/lossless.ts';
import type { JsonObject } from '../../src/rl/trajectory-files/record.ts';
import { recognized, trajectoryFormat, trajectoryFormats } from '../../src/rl/trajectory-files/registry.ts';
import { aTrajectory } from './made-trajectory.ts';

/** TABGYM_FUZZ=10000 takes half a minute. */
const mutations = Number(process.env.TABGYM_FUZZ ?? 500);

const bytes = (text: string) => new TextEncoder().encode(text);

/** A file that arrives in pieces of `size` bytes. */
function source(text: string, size = 1 << 16): ByteSource {
  const all = bytes(text);
  return {
    name: 'a file',
    size: all.length,
    async *stream() {
      for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
    },
    slice: async (from, to) => all.slice(from, to),
  };
}

const words = [
  'get 1 oak log',
  'Thought:\nI "craft".\n\nAction:\ncraft',
  'né 日本 \u{1f600}',
  '{"not": [a, record',
  '\\',
  '',
];
const word = (...key: number[]) => words[hash(...key) % words.length];
const spoken = (n: number, reasoned = false): JsonObject[] =>
  Array.from({ length: 1 + (hash(n) % 4) }, (_, i) => ({
    from: i % 2 ? 'gpt' : 'human',
    loss: reasoned ? null : i % 2 ? n % 3 === 0 : null,
    value: word(n, i),
    ...(n % 5 === 0 ? { note: [i, null] } : {}),
  }));
const roles = (n: number): JsonObject[] =>
  Array.from({ length: 1 + (hash(n) % 4) }, (_, i) => ({
    role: i % 2 ? 'assistant' : 'user',
    content: word(n, i),
    ...(n % 2 ? { reasoning_content: i % 2 ? 'so' : null } : {}),
  }));

/** The n-th record of each format, as its own program writes it. */
const made: { [format: string]: (n: number) => JsonObject } = {
  agenttraj: (n) => ({ conversations: spoken(n), item_id: `babyai_${n}`, ...(n % 2 ? { reward: n / 8 } : {}) }),
  'agentgym-eval': (n) => ({ conversations: spoken(n, true), item_id: `maze_${n}`, reward: n % 2, success: n % 2 }),
  'agentgym-api-eval': (n) => ({ conversations: roles(n), item_id: `sciworld_${n}`, reward: 0.5, success: 0 }),
  'agentgym-rl-rollouts': (n) => ({ item_id: n, conversations: roles(n), reward: (1 - n) / 3 }),
  agenteval: (n) => ({ item_id: `textcraft_${n}`, conversations: null }),
  'agentgym-rl-ids': (n) => ({ item_id: `searchqa_${n}` }),
  sharegpt: (n) => ({ conversations: spoken(n), id: `x${n}` }),
  'openai-messages': (n) => ({ messages: roles(n), tools: [] }),
  'tabgym-trajectory-1': (n) => recordOf(aTrajectory(n), { step: n }).source!.fields,
};

const textOf = (format: (typeof trajectoryFormats)[number], records: JsonObject[]): string =>
  format.container === 'array'
    ? JSON.stringify(records, null, 2)
    : records.map((record) => JSON.stringify(record, null, format.container === 'lines' ? 0 : 4)).join('\n');

describe.each(trajectoryFormats.map((format) => [format.name, format] as const))('%s', (name, format) => {
  const records = Array.from({ length: 40 }, (_, n) => made[name](n));

  it('is recognised, and comes back as it was, in whatever pieces it arrives', async () => {
    const text = textOf(format, records);
    for (const size of [1, 7, 4096]) {
      const file = await TrajectoryFile.open(source(text, size));
      expect(file.problems).toEqual([]);
      expect([...file.records].map((record) => record.format)).toEqual(records.map(() => name));
      for (let i = 0; i < records.length; i += size === 1 ? 13 : 1)
        expect(format.write(await file.read(i))).toEqual(records[i]);
    }
  });

  it('written by us is read by us', async () => {
    const read = records.map((record) => format.read(record));
    const file = await TrajectoryFile.open(source([...written(read, format)].join('')));
    expect(file.records.length).toBe(records.length);
    expect((await file.read(3)).source).toEqual(read[3].source);
  });

  it('carries what it can of every other, and says what it cannot', () => {
    for (const other of trajectoryFormats) {
      const record = other.read(made[other.name](7));
      const back = format.read(format.write(record));
      const lost = format.loses(record).join('; ');
      if (record.messages && back.messages)
        expect(back.messages.map(({ role, content }) => [role, content])).toEqual(
          record.messages.map(({ role, content }) => [role, content]),
        );
      else if (record.messages) expect(lost).toContain('messages');
      if (back.reward !== record.reward && record.reward !== null) expect(lost).toContain('reward');
      if (back.item !== record.item) expect(lost).toContain('task');
    }
  });

  it(`survives ${mutations} mutations: read as what it says, or refused by line`, async () => {
    const text = textOf(format, records.slice(0, 6));
    const letters = '{}[]",:\n\\ x0';
    for (let n = 0; n < mutations; n++) {
      const at = hash(1, n) % text.length;
      const cut = hash(2, n) % 4;
      const mutated =
        text.slice(0, at) + letters[hash(3, n) % letters.length].repeat(hash(4, n) % 3) + text.slice(at + cut);
      const file = await TrajectoryFile.open(source(mutated)).catch((error: Error) => {
        expect(error.name).toBe('TrajectoryFileError');
        return null;
      });
      if (!file) continue;
      for (const problem of file.problems) expect(problem.line).toBeGreaterThan(0);
      // What was taken is a record: the schema holds for it, and for what is written of it.
      if (n % 20 === 0)
        for (let i = 0; i < file.records.length; i++) {
          const fields = (await file.read(i)).source!.fields;
          expect(recognized(fields)!.write(recognized(fields)!.read(fields))).toEqual(fields);
        }
    }
  }, 60_000);
});

describe('a file', () => {
  const traj = trajectoryFormat('agenttraj');
  const lines = (count: number) => Array.from({ length: count }, (_, n) => JSON.stringify(made['agentgym-eval'](n)));

  it('keeps what is good around a bad record, whatever is wrong with it', async () => {
    const bad = [
      '{"conversations": [',
      '{"item_id": "x',
      'nonsense',
      '[]',
      '17',
      '{"a": 1}',
      '{"conversations": {}, "item_id": 4}}',
    ];
    for (const wrong of bad) {
      const all = lines(9);
      all[4] = wrong;
      const file = await TrajectoryFile.open(source(all.join('\n')));
      expect([wrong, file.records.length, file.problems.map(({ line }) => line)]).toEqual([wrong, 8, [5]]);
    }
  });

  it('goes on after a bad record of a printed array, and says where it was', async () => {
    const text = textOf(
      traj,
      Array.from({ length: 9 }, (_, n) => made.agenttraj(n)),
    );
    const rows = text.split('\n');
    const opening = rows.flatMap((row, i) => (row === '  {' ? [i] : []));
    // The fifth record loses its end.
    const broken = [...rows.slice(0, opening[5] - 2), ...rows.slice(opening[5])].join('\n');
    const file = await TrajectoryFile.open(source(broken));
    expect(file.records.length).toBe(8);
    expect(file.problems).toEqual([{ line: opening[4] + 1, message: expect.stringContaining('does not end') }]);
  });

  it('of objects one after another without a line between them is read', async () => {
    const api = trajectoryFormat('agentgym-api-eval');
    const text = [0, 1, 2].map((n) => JSON.stringify(made['agentgym-api-eval'](n), null, 4)).join('');
    const file = await TrajectoryFile.open(source(text));
    expect(file.records.length).toBe(3);
    expect(api.write(await file.read(2))).toEqual(made['agentgym-api-eval'](2));
  });

  it('that is empty, or holds nothing known, is refused in words', async () => {
    await expect(TrajectoryFile.open(source(''))).rejects.toThrow('a file is empty');
    await expect(TrajectoryFile.open(source('[{"x": 1}]'))).rejects.toThrow(/Line 1: .*its fields: x.*AgentTraj/);
    await expect(TrajectoryFile.open(source(`\n\n${'{'.repeat(9)}`))).rejects.toThrow('Line 3');
  });

  it('can be stopped, says how far it is, and is searched', async () => {
    const text = lines(200).join('\n');
    const stop = new AbortController();
    const seen: number[] = [];
    const opening = TrajectoryFile.open(source(text, 500), {
      signal: stop.signal,
      onProgress: (done) => {
        seen.push(done);
        if (seen.length === 3) stop.abort(new Error('stopped'));
      },
    });
    await expect(opening).rejects.toThrow('stopped');
    expect(seen).toEqual([500, 1000, 1500]);
    const file = await TrajectoryFile.open(source(text));
    const found: number[] = [];
    for await (const index of file.search('OAK LOG')) found.push(index);
    const held = lines(200).flatMap((line, i) => (line.includes('oak log') ? [i] : []));
    expect(found).toEqual(held);
  });
});

it('a trajectory of ours loses no bit', () => {
  for (let n = 0; n < 50; n++) {
    const trajectory = aTrajectory(n);
    expect(trajectoryFromJson(JSON.parse(JSON.stringify(trajectoryToJson(trajectory))))).toEqual(trajectory);
  }
});
