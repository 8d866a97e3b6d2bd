import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { TextCraft } from '../../src/worlds/textcraft/world.ts';
import { readTranscripts, replayTranscripts } from '../../tools/replay/transcripts.ts';
import { goldenFolder, hasGolden } from './helpers.ts';

beforeAll(() => buildWasm());

const step = { a: 'get 1 acacia logs', obs: 'Got 1 acacia logs', r: 0, done: false, inv: { 'acacia logs': 1 } };
const start = 'Crafting commands:\ncraft 4 acacia planks using 1 acacia logs\n\nGoal: craft acacia planks.';
const line = (value: object) => JSON.stringify({ id: 0, obs: start, expert: [step], random: [], ...value });
const replay = async (text: string) => replayTranscripts(await TextCraft.open(), readTranscripts(text));

describe('replay', () => {
  it('counts starts and steps that agree', async () => {
    expect(await replay(`${line({})}\n\n${line({ random: [[step]] })}\n`)).toEqual({ agree: 5, total: 5, first: null });
  });
  it.each([
    ['observation', { obs: 'Got 2 acacia logs' }],
    ['reward', { r: 1 }],
    ['done', { done: true }],
    ['inventory', { inv: { 'acacia logs': 2 } }],
  ])('finds a different %s', async (what, change) => {
    const { agree, total, first } = await replay(line({ expert: [{ ...step, ...change }] }));
    expect([agree, total, first?.what]).toEqual([1, 2, what]);
    expect(first?.where).toBe('item 0, expert, step 1, action "get 1 acacia logs"');
  });
  it('finds a different order of the inventory', async () => {
    const two = { a: 'get 1 flint', obs: 'Got 1 flint', r: 0, done: false, inv: { flint: 1, 'acacia logs': 1 } };
    expect((await replay(line({ expert: [step, two] }))).first?.what).toBe('inventory');
  });
  it('reports the line that is broken', () => {
    expect(() => readTranscripts('{"id":0,')).toThrow(/Line 1 is not JSON/);
    expect(() => readTranscripts(`${line({})}\n{"id":0}`)).toThrow(/Line 2 is not a transcript: obs/);
  });
  it('agrees with the recordings of the original', async ({ skip }) => {
    if (!hasGolden('textcraft')) skip(`no recordings at ${goldenFolder}/textcraft (TABGYM_GOLDEN names the folder)`);
    const text = gunzipSync(readFileSync(`${goldenFolder}/textcraft/episodes.jsonl.gz`)).toString('utf8');
    const { agree, total, first } = await replay(text);
    expect(first).toBeNull();
    expect(total).toBeGreaterThan(0);
    expect(agree).toBe(total);
  });
});
