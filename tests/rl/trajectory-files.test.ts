// Trajectory files: every format survives writing and reading, in chunks of any size. A malformed record is reported by
// line and affects no other. Text that is not a record is never taken for one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openAiMessages } from '../../src/trajectories/files/chats.ts';
import { TrajectoryFile, writeRecords } from '../../src/trajectories/files/file.ts';
import { trajectoryFromJson, trajectoryToJson } from '../../src/trajectories/files/lossless.ts';
import type { Message } from '../../src/trajectories/files/record.ts';
import { trajectoryFormat, trajectoryFormats } from '../../src/trajectories/files/registry.ts';
import { textMatcher } from '../../src/trajectories/files/text-search.ts';
import { aTrajectory } from '../../tools/fuzz/made-trajectory.ts';
import { faultOf, made, mutated, sourceOf, textOf } from '../../tools/fuzz/trajectory-files.ts';

/** Mutations per format; `npm run fuzz:trajectories` makes 10,000. */
const mutations = 300;

describe.each(trajectoryFormats.map((format) => [format.name, format] as const))('%s', (name, format) => {
  const records = Array.from({ length: 40 }, (_, n) => made[name](n));

  it('is recognised and read back unchanged, in chunks of any size', async () => {
    const text = textOf(format, records);
    for (const size of [1, 7, 4096]) {
      const file = await TrajectoryFile.open(sourceOf(text, size));
      expect(file.problems).toEqual([]);
      expect([...file.records].map((record) => record.format)).toEqual(records.map(() => name));
      for (let i = 0; i < records.length; i += size === 1 ? 13 : 1)
        expect(format.write(await file.read(i))).toEqual(records[i]);
    }
  });

  it('is read back unchanged, for random records and layouts', async () => {
    const some = fc.array(fc.nat(1e6), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(some, fc.integer({ min: 1, max: 99 }), fc.boolean(), async (numbers, size, indented) => {
        const all = numbers.map((n) => made[name](n));
        const plain = indented ? textOf(format, all) : [...writeRecords(all.map(format.read), format)].join('');
        const file = await TrajectoryFile.open(sourceOf(plain, size));
        expect([file.refused, file.records.length]).toEqual([0, all.length]);
        for (let i = 0; i < all.length; i++) expect(format.write(await file.read(i))).toEqual(all[i]);
      }),
      { numRuns: 40 },
    );
  });

  it('is read after we wrote it', async () => {
    const read = records.map((record) => format.read(record));
    const file = await TrajectoryFile.open(sourceOf([...writeRecords(read, format)].join('')));
    expect(file.records.length).toBe(records.length);
    expect((await file.read(3)).source).toEqual(read[3].source);
  });

  it('carries as much of every other format as it can, and lists the rest', () => {
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

  it(`survives ${mutations} mutations: a second reading accepts the same records`, async () => {
    const text = textOf(format, records.slice(0, 6));
    for (let n = 0; n < mutations; n++) expect([n, await faultOf(mutated(text, 7, n), format)]).toEqual([n, null]);
  }, 60_000);
});

describe('a file', () => {
  const traj = trajectoryFormat('agenttraj');
  const lines = (count: number) => Array.from({ length: count }, (_, n) => JSON.stringify(made['agentgym-eval'](n)));

  it('keeps the good records around a bad one', async () => {
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
      const file = await TrajectoryFile.open(sourceOf(all.join('\n')));
      expect([wrong, file.records.length, file.problems.map(({ line }) => line)]).toEqual([wrong, 8, [5]]);
    }
  });

  it('of episodes refuses a record that lost a field and looks like a poorer form', async () => {
    const { item_id, conversations, reward, success } = made['agentgym-eval'](3);
    const lost = [
      [{ conversations, reward, success }, 'item_id'],
      [{ item_id }, 'conversations'],
      [{ item_id, conversations: null }, 'conversations'],
      [{ item_id, reward, success }, 'no known format'],
      [{ item_id, conversations, success }, 'no known format'],
      [{ item_id, conversations, reward: '1', success }, 'reward must be a number'],
      [{ item_id, conversations, reward, success: 2 }, 'success must be 0 or 1'],
      [{ item_id, conversations: 'none', reward, success }, 'no known format'],
    ] as const;
    for (const [record, reason] of lost) {
      const all = lines(9);
      all[4] = JSON.stringify(record);
      const file = await TrajectoryFile.open(sourceOf(all.join('\n')));
      expect(file.records.length).toBe(8);
      expect(file.problems).toEqual([{ line: 5, message: expect.stringContaining(reason) }]);
    }
    const ids = lines(3).map((line) => JSON.stringify({ item_id: JSON.parse(line).item_id }));
    expect((await TrajectoryFile.open(sourceOf(`[${ids}]`))).records.length).toBe(3);
  });

  it('of OpenAI’s messages keeps tool calls and parts, and refuses a user without text', async () => {
    const of = (...messages: unknown[]) => JSON.stringify({ messages });
    const parts = {
      role: 'user',
      content: [{ type: 'text', text: 'a' }, { type: 'image_url' }, { type: 'text', text: 'b' }],
    };
    const call = { role: 'assistant', content: null, tool_calls: [{ id: '1' }], weight: 0 };
    const good = of(parts, call, { role: 'tool', content: 'c' }, { role: 'assistant', content: 'd', weight: 1 });
    const bad = [
      of({ role: 'user', content: null }),
      of({ role: 'assistant' }),
      of({ ...call, weight: 2 }),
      of({ role: 'user', content: [4] }),
    ];
    const file = await TrajectoryFile.open(sourceOf([good, ...bad].join('\n')));
    expect([file.records.length, file.problems.map(({ line }) => line)]).toEqual([1, [2, 3, 4, 5]]);
    const record = await file.read(0);
    expect(record.messages!.map(({ role, content, trained }) => [role, content, trained])).toEqual([
      ['user', 'ab', null],
      ['assistant', '', false],
      ['tool', 'c', null],
      ['assistant', 'd', true],
    ]);
    expect(trajectoryFormat('openai-messages').write(record)).toEqual(JSON.parse(good));
  });

  it('of OpenAI’s messages has the calls in our replies, and their answers as results', () => {
    const reply = (name: string, given: object, words = '') =>
      `${words}<tool_call>\n${JSON.stringify({ name, arguments: given })}\n</tool_call>`;
    const said = [
      'Which day?',
      reply('get_date', {}),
      '3 May',
      reply('finish', { answer: '3 May' }, 'Done.\n'),
      'Ended.',
    ];
    const message = (content: string, i: number): Message => ({
      role: i % 2 ? 'assistant' : 'user',
      content,
      trained: i % 2 ? true : null,
      reasoning: null,
      source: null,
    });
    const record = { source: null, itemId: null, world: null, item: null, reward: null, success: null };
    const written = openAiMessages.write({ ...record, messages: said.map(message) }) as { messages: object[] };
    const call = (id: string, name: string, given: string) => [
      { id, type: 'function', function: { name, arguments: given } },
    ];
    expect(written.messages).toEqual([
      { role: 'user', content: 'Which day?' },
      { role: 'assistant', content: '', weight: 1, tool_calls: call('call_1', 'get_date', '{}') },
      { role: 'tool', content: '3 May', tool_call_id: 'call_1' },
      { role: 'assistant', content: 'Done.', weight: 1, tool_calls: call('call_3', 'finish', '{"answer":"3 May"}') },
      { role: 'tool', content: 'Ended.', tool_call_id: 'call_3' },
    ]);
    // Several calls, or one that cannot be read, stay text.
    for (const text of [`${said[1]}${said[1]}`, '<tool_call>{</tool_call>', '<tool_call>{"name": "x"}</tool_call>']) {
      const own = openAiMessages.write({ ...record, messages: ['a', text, 'b'].map(message) }) as {
        messages: object[];
      };
      expect(own.messages[1]).toEqual({ role: 'assistant', content: text, weight: 1 });
      expect(own.messages[2]).toEqual({ role: 'user', content: 'b' });
    }
  });

  it('continues after a bad record of a printed array, and reports its line', async () => {
    const text = textOf(
      traj,
      Array.from({ length: 9 }, (_, n) => made.agenttraj(n)),
    );
    const rows = text.split('\n');
    const opening = rows.flatMap((row, i) => (row === '  {' ? [i] : []));
    // The fifth record loses its end.
    const broken = [...rows.slice(0, opening[5] - 2), ...rows.slice(opening[5])].join('\n');
    const file = await TrajectoryFile.open(sourceOf(broken));
    expect(file.records.length).toBe(8);
    expect(file.problems).toEqual([{ line: opening[4] + 1, message: expect.stringContaining('does not end') }]);
  });

  it('with several objects on a line is read', async () => {
    const api = trajectoryFormat('agentgym-api-eval');
    const text = [0, 1, 2].map((n) => JSON.stringify(made['agentgym-api-eval'](n), null, 4)).join('');
    const file = await TrajectoryFile.open(sourceOf(text));
    expect(file.records.length).toBe(3);
    expect(api.write(await file.read(2))).toEqual(made['agentgym-api-eval'](2));
  });

  it('without any known record is refused with a message', async () => {
    await expect(TrajectoryFile.open(sourceOf(''))).rejects.toThrow('a file is empty');
    await expect(TrajectoryFile.open(sourceOf('[{"x": 1}]'))).rejects.toThrow(/Line 1: .*its fields: x.*AgentTraj/);
    await expect(TrajectoryFile.open(sourceOf(`\n\n${'{'.repeat(9)}`))).rejects.toThrow('Line 3');
  });

  it('can be stopped, reports its progress, and is searched', async () => {
    const text = lines(200).join('\n');
    const stop = new AbortController();
    const seen: number[] = [];
    const opening = TrajectoryFile.open(sourceOf(text, 500), {
      signal: stop.signal,
      onProgress: (done) => {
        seen.push(done);
        if (seen.length === 3) stop.abort(new Error('stopped'));
      },
    });
    await expect(opening).rejects.toThrow('stopped');
    expect(seen).toEqual([500, 1000, 1500]);
    const file = await TrajectoryFile.open(sourceOf(text));
    const found: number[] = [];
    for await (const index of file.find('OAK LOG')) found.push(index);
    const held = lines(200).flatMap((line, i) => (line.includes('oak log') ? [i] : []));
    expect(found).toEqual(held);
  });
});

it('a search matches the text literally, with a star for anything between, in an action and its answer', async () => {
  const finds = (wanted: string, text: string) => textMatcher(wanted)(text);
  expect([finds('OAK  log', 'oak log'), finds('Oak log', '1 oak LOG.'), finds('a*b', 'xbxa'), finds('*', '')]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  const recipe = 'craft 1 lever using 1 stick, 1 stone';
  const conversations = (action: string, answer: string) => [
    { from: 'human', loss: null, value: `Crafting commands:\n${recipe}\nGoal: craft lever.` },
    { from: 'gpt', loss: true, value: action },
    { from: 'human', loss: null, value: answer },
  ];
  const records = [
    conversations('craft 4 stick using 2 planks', 'Crafted 4 minecraft:stick'),
    conversations(recipe, 'Could not find enough items to craft minecraft:lever'),
    conversations(recipe, 'Crafted 1 minecraft:lever'),
  ].map((each, i) => JSON.stringify({ item_id: `textcraft_${i}`, conversations: each, reward: 0, success: 0 }));
  const file = await TrajectoryFile.open(sourceOf(records.join('\n')));
  const found: number[] = [];
  for await (const index of file.find('using *, * crafted')) found.push(index);
  expect(found).toEqual([2]);
});

it('a trajectory of ours keeps every bit', () => {
  for (let n = 0; n < 50; n++) {
    const trajectory = aTrajectory(n);
    expect(trajectoryFromJson(JSON.parse(JSON.stringify(trajectoryToJson(trajectory))))).toEqual(trajectory);
  }
});
