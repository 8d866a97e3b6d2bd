/** Parts of a stored run that may be damaged or came with an imported run: what cannot be used is refused by its name. */
import { expect, it } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presets } from '../../src/experiment/presets.ts';
import { storedConfig } from '../../src/session/stored-json.ts';
import { listRuns, requireParts, unlistedRuns } from '../../src/session/stored-run.ts';
import { tokenTextsOf } from '../../src/session/text/token-texts.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { RunStore } from '../../src/store/run-store.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

it.each(['', '{', '\u0000', 'x'.repeat(5000)])('config.json of %j is refused by its name', (text) => {
  expect(() => storedConfig(bytes(text))).toThrow(/^config\.json of this run is not JSON: .{1,210} Import the run/s);
});

it.each([
  '',
  'null',
  '{"model": null}',
  '{"model": {"vocab": {"a": 4294967294}}}',
  '{"model": {"vocab": {"a": 200000000}}}',
  '{"model": {"vocab": {"a": "length"}}}',
  '{"model": {"vocab": {"a": -1}}}',
  '{"model": {"vocab": {}}, "added_tokens": [null]}',
  '{"model": {"vocab": {}}, "added_tokens": [{"id": 1e9, "content": "a"}]}',
])('texts of the tokens of %j are refused by name, before a table is made of them', (text) => {
  expect(() => tokenTextsOf(bytes(text))).toThrow(/tokenizer\.json/);
});

it('texts of tokens stand at their ids', () => {
  const file = { model: { vocab: { a: 2, b: 0 } }, added_tokens: [{ id: 3, content: '<end>' }] };
  expect(tokenTextsOf(bytes(JSON.stringify(file)))).toEqual(['b', '', 'a', '<end>']);
});

it.each([
  ['policy', {}],
  ['worlds', { ...(presets[0] as object), worlds: null }],
  ['worlds', { ...(presets[0] as object), worlds: [] }],
  ['algorithm', { ...(presets[0] as object), algorithm: 'grpo' }],
])('a stored experiment whose "%s" is damaged is refused by it', (part, experiment) => {
  const run = { name: 'a run', experiment } as unknown as Parameters<typeof requireParts>[0];
  expect(() => requireParts(run)).toThrow(
    `Run "a run" cannot be opened: "${part}" of its stored experiment is damaged`,
  );
});

it('every preset has the parts of a stored experiment', () => {
  for (const preset of presets)
    requireParts({ name: '', experiment: parseExperiment(preset) } as Parameters<typeof requireParts>[0]);
});

it('a run whose experiment lacks a part is left out of the list, and counted', async () => {
  const store = new RunStore(new MemoryStore());
  for (const experiment of [presets[0], {}, { ...(presets[0] as object), worlds: null }])
    await store.create({ name: 'a run', experiment, origin: { kind: 'new' } });
  expect([(await listRuns(store)).length, await unlistedRuns(store)]).toEqual([1, 2]);
});
