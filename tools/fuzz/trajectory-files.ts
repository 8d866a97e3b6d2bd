/**
 * Trajectory files generated from numbers, as each format's own program writes them, and mutations of them. A second
 * implementation decides which records of a mutated file are valid, so that crashes, wrong refusals and wrong
 * acceptances all show.
 */
import { hash } from '../../src/rl/common/random.ts';
import { type ByteSource, TrajectoryFile } from '../../src/trajectories/files/file.ts';
import type { TrajectoryFormat } from '../../src/trajectories/files/format.ts';
import { recordOf } from '../../src/trajectories/files/lossless.ts';
import type { JsonObject } from '../../src/trajectories/files/record.ts';
import { recognized } from '../../src/trajectories/files/registry.ts';
import { aTrajectory } from './made-trajectory.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** A file that arrives in pieces of `size` bytes. */
export function sourceOf(text: string | Uint8Array, size = 1 << 16): ByteSource {
  const all = typeof text === 'string' ? bytes(text) : text;
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
const shareGptTurns = (n: number, reasoned = false): JsonObject[] =>
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

/** Messages with more than text: tool calls, parts, marks of what to train on. */
const messagesWithTools = (n: number): JsonObject[] => [
  { role: 'developer', content: [{ type: 'text', text: word(n, 1) }, { type: 'image_url' }] },
  { role: 'user', content: word(n, 2), name: 'x' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', function: { name: 'act', arguments: '{}' } }],
    weight: 0,
  },
  { role: 'tool', tool_call_id: 'a', content: word(n, 3) },
  { role: 'assistant', content: word(n, 4), weight: 1 },
];

/** The n-th record of each format, as the format's own program writes it. */
export const made: { [format: string]: (n: number) => JsonObject } = {
  agenttraj: (n) => ({ conversations: shareGptTurns(n), item_id: `babyai_${n}`, ...(n % 2 ? { reward: n / 8 } : {}) }),
  'agentgym-eval': (n) => ({
    conversations: shareGptTurns(n, true),
    item_id: `maze_${n}`,
    reward: n % 2,
    success: n % 2,
  }),
  'agentgym-api-eval': (n) => ({ conversations: roles(n), item_id: `sciworld_${n}`, reward: 0.5, success: 0 }),
  'agentgym-rl-rollouts': (n) => ({ item_id: n, conversations: roles(n), reward: (1 - n) / 3 }),
  agenteval: (n) => ({ item_id: `textcraft_${n}`, conversations: null }),
  'agentgym-rl-ids': (n) => ({ item_id: `searchqa_${n}` }),
  'agentgym-dpo': (n) => ({
    id: n,
    prompt: shareGptTurns(n),
    chosen: shareGptTurns(n + 1),
    rejected: shareGptTurns(n + 2),
  }),
  'trl-preference': (n) => ({ prompt: roles(n), chosen: roles(n + 1), rejected: roles(n + 2), score: n }),
  sharegpt: (n) => ({ conversations: shareGptTurns(n), id: `x${n}` }),
  'openai-messages': (n) => ({ messages: n % 4 ? roles(n) : messagesWithTools(n), tools: [] }),
  'tabgym-trajectory-1': (n) => recordOf(aTrajectory(n), { step: n }).source!.fields,
};

export const textOf = (format: TrajectoryFormat, records: JsonObject[]): string =>
  format.container === 'array'
    ? JSON.stringify(records, null, 2)
    : records.map((record) => JSON.stringify(record, null, format.container === 'lines' ? 0 : 4)).join('\n');

const letters = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\n',
  '\\',
  ' ',
  'x',
  '0',
  '-',
  '.',
  'null',
  'true',
  '\u0000',
  '\ud800',
  '1e999',
];

/** Text with one stretch repeated, inserted, removed or replaced. */
export function mutated(text: string, seed: number, n: number): string {
  const at = hash(seed, 1, n) % text.length;
  const cut = [0, 1, 1, 2, 3, hash(seed, 5, n) % 40][hash(seed, 2, n) % 6];
  const put = letters[hash(seed, 3, n) % letters.length].repeat(hash(seed, 4, n) % 3);
  return text.slice(0, at) + put + text.slice(at + cut);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True if a value is a record of some format. */
function isRecord(value: unknown): boolean {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  try {
    const format = recognized(value as JsonObject);
    if (!format) return false;
    format.read(value as JsonObject);
    return true;
  } catch {
    return false;
  }
}

/**
 * The records that are valid together: if the first is an episode of AgentGym's, those without its id or its messages
 * are not.
 */
function validTogether(records: unknown[]): unknown[] {
  const all = records as JsonObject[];
  const hasId = ({ item_id }: JsonObject) => typeof item_id === 'string' || typeof item_id === 'number';
  const hasMessages = ({ conversations }: JsonObject) => Array.isArray(conversations);
  if (!all.length || !hasId(all[0]) || !hasMessages(all[0])) return all;
  return all.filter((each) => (hasMessages(each) ? hasId(each) : !hasId(each) || 'messages' in each));
}

/**
 * The records that must be accepted from a file of one record per line, or of one array; null if the file is neither.
 */
function wanted(text: string, container: TrajectoryFormat['container']): unknown[] | null {
  if (container === 'lines') {
    const lines = text.split('\n');
    const usual = lines.every((line) => parsed(line) !== undefined || line.trim() === '');
    return usual ? validTogether(lines.map(parsed).filter(isRecord)) : null;
  }
  const whole = container === 'array' ? parsed(text) : undefined;
  return Array.isArray(whole) ? validTogether(whole.filter(isRecord)) : null;
}

/** A number that a JavaScript number does not hold. The reader keeps its digits, which the second implementation cannot. */
const bigNumber = /(?:[:,[]|^)\s*-?(?:\d{16,}(?![\d.eE])|[\d.]+[eE]\+?\d{3})/;

/** Describes a fault in how the file is read, or returns null. */
export async function faultOf(text: string, format: TrajectoryFormat): Promise<string | null> {
  const hasBigNumber = bigNumber.test(text);
  const utf = bytes(text);
  // A lone surrogate does not survive encoding to bytes.
  const should = wanted(new TextDecoder().decode(utf), format.container);
  let file: TrajectoryFile;
  try {
    file = await TrajectoryFile.open(sourceOf(text));
  } catch (error) {
    if ((error as Error).name !== 'TrajectoryFileError') return `it fails with ${error}`;
    return should?.length && !hasBigNumber ? `the whole file is refused, but ${should.length} records are valid` : null;
  }
  if (file.problems.some(({ line }) => !(line > 0))) return 'a problem has no line number';
  const taken: unknown[] = [];
  for (let i = 0; i < file.records.length; i++) {
    const { offset, bytes: length } = file.records.at(i);
    const { source } = await file.read(i);
    if (hasBigNumber) continue;
    const value = parsed(new TextDecoder().decode(utf.subarray(offset, offset + length)));
    if (!isRecord(value)) return `record ${i + 1} is accepted but invalid`;
    const back = recognized(source!.fields)!.write(await file.read(i));
    if (JSON.stringify(sorted(back)) !== JSON.stringify(sorted(value)))
      return `record ${i + 1} is written differently than it was read`;
    taken.push(value);
  }
  if (should && !hasBigNumber && JSON.stringify(should) !== JSON.stringify(taken))
    return `${taken.length} records are accepted, but ${should.length} are valid`;
  return null;
}

/** The value with the fields of all objects in alphabetical order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
