/** Python's JSON numbers in bodies of any shape. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ParsedJson, PythonNumber, parseJson } from '../../src/server/agentgym/json.ts';

/** The same value with Python's numbers as numbers. */
function plain(value: ParsedJson): unknown {
  if (value instanceof PythonNumber) return Number(value.source);
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
  return value;
}

it('reads any JSON as JSON.parse does, but for the form of its numbers', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
      expect(plain(parseJson(`[2.0, ${text}]`))).toEqual([2, JSON.parse(text)]);
    }),
  );
});

it('leaves numbers inside strings alone', () => {
  expect(parseJson('{"a": "2.0 \\" 3.5", "b": 2.0}')).toEqual({ a: '2.0 " 3.5', b: new PythonNumber('2.0') });
});

it('refuses a megabyte with an unclosed quote, or of quotes, in one pass', () => {
  for (const body of [
    `{"a": 1.5, "b": "${'\\"x'.repeat(300_000)}`,
    `[1.5${'"'.repeat(1_000_001)}`,
    `"${'\\'.repeat(1_000_001)}1.5`,
  ])
    expect(() => parseJson(body)).toThrow(SyntaxError);
});
