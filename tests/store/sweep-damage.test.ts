// A sweep's file by somebody who knows the format: refused by name.
import { expect, it } from 'vitest';
import { readRunFile } from '../../src/session/run-file.ts';
import { BundleError } from '../../src/store/bundle.ts';
import { crc32 } from '../../src/store/crc32.ts';
import { readSweep } from '../../src/store/sweep-bundle.ts';
import { unzip, zip } from '../../src/store/zip.ts';
import { madeBundle } from '../../tools/fuzz/bundle-files.ts';

const file = madeBundle();
const encode = (value: string) => new TextEncoder().encode(value);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const packed = (entries: { [name: string]: Uint8Array }) =>
  zip(Object.entries(entries).map(([name, bytes]) => ({ name, bytes, stored: false })));
const aRun = (name: string, crc = 0) => ({
  file: name,
  crc,
  name: 'a',
  place: { index: 0, variant: 0, variantName: 'a', seed: 1 },
});
const sweepOf = (runs: object[], document: unknown = null) =>
  JSON.stringify({ format: 'tabgym-sweep-1', name: 'a', document, runs });

function refusalOf(read: () => unknown): Error {
  try {
    read();
  } catch (error) {
    return error as Error;
  }
  throw new Error('It was opened.');
}

const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
it.each([
  ['a format that cannot become a text', '{"format":{"toString":1,"valueOf":1}}', 'has the format {"toString":1'],
  ['a run that every object has', sweepOf([aRun('toString')]), 'toString in this file is missing'],
  ["a run that is an object's prototype", sweepOf([aRun('__proto__')]), '__proto__ in this file is missing'],
  ['a long name of a run', sweepOf([aRun('x'.repeat(100_000))]), 'wrong value at "runs.0.file"'],
  ['many levels', sweepOf([aRun('a')]).replace('null', deep), 'more than 100 levels'],
  ['one run twice', sweepOf([aRun('run', crc32(file)), aRun('run', crc32(file))]), 'names run twice'],
])('a sweep with %s is refused', (_, head, message) => {
  const error = refusalOf(() => readSweep(packed({ 'sweep.json': encode(head), run: file }), 'a', 'new'));
  expect(error).toBeInstanceOf(BundleError);
  expect(error.message).toContain(message);
  expect(error.message.length).toBeLessThan(300);
});

it('a sweep with one run is read', () => {
  const head = sweepOf([aRun('run', crc32(file))]);
  expect(readSweep(packed({ 'sweep.json': encode(head), run: file }), 'a', 'new')).toHaveLength(1);
});

/** The run's file in the format without hashes, with one part and the list changed. */
function forged(name: string, bytes: Uint8Array, change = (list: string) => list): Uint8Array {
  const { 'tabgym.json': list, ...rest } = unzip(file);
  const { hash: _hash, records: _records, ...index } = JSON.parse(decode(list));
  index.files[name] = { bytes: bytes.length, crc: crc32(bytes) };
  const text = change(JSON.stringify({ ...index, format: 'tabgym-run-1' }));
  return packed({ 'tabgym.json': encode(text), ...rest, [name]: bytes });
}
const steps = unzip(file)['steps.jsonl'];

it.each(['constructor', 'prototype', '__proto__'])('values under the key %s are refused', (key) => {
  for (const value of ['null', '{}', '{"bytes":1}']) {
    const list = forged('steps.jsonl', steps, (text) => text.replace('"files":{', `"files":{"${key}":${value},`));
    expect(refusalOf(() => readRunFile(list, 'a')).message).toContain('wrong value at "files"');
  }
  const metrics = encode(decode(steps).replaceAll('"metrics":{', `"metrics":{"${key}":"x",`));
  expect(refusalOf(() => readRunFile(forged('steps.jsonl', metrics), 'a')).message).toContain(
    'Line 1 of steps.jsonl in this file has a wrong value at "metrics"',
  );
});
