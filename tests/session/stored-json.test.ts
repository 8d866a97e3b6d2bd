/** JSON files of a run's policy, which came with an imported run: what cannot be used is refused by the file's name. */
import { expect, it } from 'vitest';
import { storedConfig } from '../../src/session/stored-json.ts';
import { tokenTextsOf } from '../../src/session/text/token-texts.ts';

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
