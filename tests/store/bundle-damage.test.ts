// A run's file with a damaged part: refused by the part, or opened without it; mutations are refused or equal.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ExperimentError, parseExperiment } from '../../src/experiment/experiment.ts';
import { checkRecords, readRunFile } from '../../src/session/run-file.ts';
import { BundleError, DamagedRunError } from '../../src/store/bundle.ts';
import { crc32 } from '../../src/store/crc32.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { unzip, zip } from '../../src/store/zip.ts';
import { madeBundle, mutatedBundle, verdictOn } from '../../tools/fuzz/bundle-files.ts';
import { forgedBundle, forgedVerdict } from '../../tools/fuzz/forged-bundles.ts';

const file = madeBundle();
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const encode = (value: string) => new TextEncoder().encode(value);

/** The file with one entry changed, packed again as a sound zip. */
function changed(name: string, change: (bytes: Uint8Array) => Uint8Array | null, from: Uint8Array = file): Uint8Array {
  const entries = unzip(from);
  const bytes = change(entries[name]);
  if (bytes) entries[name] = bytes;
  else delete entries[name];
  return zip(Object.entries(entries).map(([each, content]) => ({ name: each, bytes: content, stored: false })));
}

const refusalOf = (mutated: Uint8Array): Error => {
  try {
    readRunFile(mutated, 'a');
  } catch (error) {
    return error as Error;
  }
  throw new Error('It was opened.');
};

it('a damaged checkpoint is named, and the rest opens without it', () => {
  const damaged = changed('checkpoints/000003.safetensors', (bytes) => bytes.map((byte, k) => byte ^ Number(k === 7)));
  const error = refusalOf(damaged) as DamagedRunError;
  expect(error).toBeInstanceOf(DamagedRunError);
  expect([error.name, error.parts]).toEqual(['PartlyDamagedRunError', ['checkpoints/000003.safetensors']]);
  const rest = readRunFile(damaged, 'a', { whole: true });
  expect(rest.checkpoints!.map(({ meta }) => meta.step)).toEqual([2]);
  expect(rest.records.length).toBe(4);
});

it('records are whole up to the first that the chain does not have', () => {
  const damaged = changed('steps.jsonl', (bytes) => encode(text(bytes).replace('"step":2', '"step":2,"x":1')));
  expect(refusalOf(damaged).message).toContain('steps.jsonl (damaged)');
  const rest = readRunFile(damaged, 'a', { whole: true });
  expect(rest.records.map(({ step }) => step)).toEqual([0, 1]);
  expect(rest.step).toBe(3);
});

it.each([
  ['"name": "a run"', '"name": "b run"'],
  ['"step": 3', '"step": 4'],
  ['"optimizerStep": 3', '"optimizerStep": 2'],
  ['"success": 0.25', '"success": 0.75'],
])('a list with %s changed is refused as a whole', (from, to) => {
  const damaged = changed('tabgym.json', (bytes) => encode(text(bytes).replace(from, to)));
  expect(refusalOf(damaged).message).toBe(
    'tabgym.json in this file was changed: its hash differs. Export the run again.',
  );
  expect(() => readRunFile(damaged, 'a', { whole: true })).toThrow(BundleError);
});

it('a run without hashes, as older versions wrote it, opens', () => {
  const older = changed('tabgym.json', (bytes) => {
    const { hash: _h, records: _r, ...index } = JSON.parse(text(bytes));
    return encode(JSON.stringify({ ...index, format: 'tabgym-run-1' }));
  });
  expect(readRunFile(older, 'a')).toEqual(readRunFile(file, 'a'));
  expect(readRunFile(new Uint8Array(readFileSync('public/lessons/adapter-run.tabgym')), 'a').step).toBeGreaterThan(0);
});

it.each([
  ['run', { name: { a: 1 } }],
  ['run', { name: 'a', step: 'x' }],
  ['run', { name: 'a', step: 1e12 }],
  ['files', { '../../etc/x': { bytes: 1, crc: 1 } }],
  ['files', { 'a.json': null }],
  ['checkpoints', { 3: { step: 3 } }],
  ['checkpoints', null],
])('an older list whose "%s" is %j is refused by the field', (field, value) => {
  const older = changed('tabgym.json', (bytes) =>
    encode(JSON.stringify({ ...JSON.parse(text(bytes)), format: 'tabgym-run-1', [field]: value })),
  );
  expect(refusalOf(older).message).toMatch(new RegExp(`wrong value at "${field}`));
});

it.each([
  [[null], 'Line 1'],
  [[{ step: 0 }], 'metrics'],
  [[{ step: 0, metrics: null }], 'metrics'],
  [[{ step: 0, metrics: { loss: 'x' } }], 'metrics.loss'],
  [
    [
      { step: 0, metrics: {} },
      { step: 1, metrics: {}, evaluation: {} },
    ],
    'Line 2 of steps.jsonl in this file has a wrong value at "evaluation.train"',
  ],
])('records %j are refused by their line and field', (records, message) => {
  expect(() => checkRecords(records)).toThrow(message);
});

it('600 mutations are refused by name or equal in every value', () => {
  const original = readRunFile(file, 'a');
  const counts = { refused: 0, equal: 0, otherwise: 0, unnamed: 0 };
  for (let n = 0; n < 600; n++) counts[verdictOn(mutatedBundle(file, 1, n), original)]++;
  expect({ otherwise: counts.otherwise, unnamed: counts.unnamed }).toEqual({ otherwise: 0, unnamed: 0 });
  expect(counts.refused).toBeGreaterThan(400);
});

it('a list whose format cannot become a text is refused', () => {
  const forged = changed('tabgym.json', () => encode('{"format": {"toString": 1, "valueOf": 1}}'));
  expect(refusalOf(forged)).toBeInstanceOf(BundleError);
  expect(refusalOf(forged).message).toContain('{"toString":1,"valueOf":1}');
});

it('a part with too many levels is refused by its name', () => {
  const deep = `{"seed": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const bytes = encode(deep);
  const index = (list: Uint8Array) => {
    const { hash: _h, records: _r, ...given } = JSON.parse(text(list));
    given.files['experiment.json'] = { bytes: bytes.length, crc: crc32(bytes) };
    return encode(JSON.stringify({ ...given, format: 'tabgym-run-1' }));
  };
  const forged = changed(
    'tabgym.json',
    index,
    changed('experiment.json', () => bytes),
  );
  expect(refusalOf(forged).message).toBe('experiment.json in this file has more than 100 levels of objects and lists.');
  // As in a link or in a file of its own.
  expect(() => parseExperiment(JSON.parse(deep))).toThrow(ExperimentError);
});

it('200 forged files are refused by name or opened, and none puts an element into a report', () => {
  const verdicts = Array.from({ length: 200 }, (_, n) => forgedVerdict(forgedBundle(file, 1, n)));
  expect(verdicts.filter(({ verdict }) => verdict === 'unnamed' || verdict === 'unescaped')).toEqual([]);
  expect(verdicts.filter(({ verdict }) => verdict === 'refused').length).toBeGreaterThan(50);
  expect(verdicts.filter(({ verdict }) => verdict === 'opened').length).toBeGreaterThan(50);
});

/** The file with other lines of records, in the format without hashes, with right sizes and checksums. */
function withLines(lines: readonly object[]): Uint8Array {
  const bytes = encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const index = (list: Uint8Array) => {
    const { hash: _h, records: _r, ...given } = JSON.parse(text(list));
    given.files['steps.jsonl'] = { bytes: bytes.length, crc: crc32(bytes) };
    for (const [name, part] of Object.entries(unzip(file)))
      if (given.files[name] && name !== 'steps.jsonl') given.files[name] = { bytes: part.length, crc: crc32(part) };
    return encode(JSON.stringify({ ...given, format: 'tabgym-run-1' }));
  };
  return changed(
    'tabgym.json',
    index,
    changed('steps.jsonl', () => bytes),
  );
}

it.each([
  [[{ step: 0 }, { step: 4 }], "Line 2 of steps.jsonl in this file is of step 4, after the run's last, 3"],
  [[{ step: 0, chain: 'x' }], 'Line 1 of steps.jsonl in this file has a field "chain", which is reserved'],
  [[{ step: 1 }, { step: 1 }], 'Line 2 of steps.jsonl in this file is out of order'],
])('records %j, which the store could not read again, are refused', (lines, message) => {
  const forged = withLines(lines.map((line) => ({ metrics: {}, ...line })));
  expect(refusalOf(forged).message).toBe(`${message}. Export the run again.`);
});

it("a checkpoint after the run's last step is refused", () => {
  const { 'tabgym.json': list, ...parts } = unzip(file);
  const bytes = parts['checkpoints/000003.safetensors'];
  const { hash: _h, records: _r, ...index } = JSON.parse(text(list));
  for (const [name, part] of Object.entries(parts)) index.files[name] = { bytes: part.length, crc: crc32(part) };
  const late = 'checkpoints/000009.safetensors';
  index.files[late] = { bytes: bytes.length, crc: crc32(bytes) };
  index.checkpoints[9] = { ...index.checkpoints[3], step: 9 };
  const entries = {
    'tabgym.json': encode(JSON.stringify({ ...index, format: 'tabgym-run-1' })),
    ...parts,
    [late]: bytes,
  };
  const forged = zip(Object.entries(entries).map(([name, content]) => ({ name, bytes: content, stored: false })));
  expect(refusalOf(forged).message).toBe(
    `${late} in this file is of a step after the run's last, 3. Export the run again.`,
  );
});

it('what opens from 200 forged files is read again from the store as it was', async () => {
  let opened = 0;
  for (let n = 0; n < 200; n++) {
    let run: ReturnType<typeof readRunFile>;
    try {
      run = readRunFile(forgedBundle(file, 3, n), 'a');
    } catch {
      continue;
    }
    const store = new RunStore(new MemoryStore());
    const { id } = await store.create({ ...run, experiment: {} });
    expect(await store.records(id)).toEqual(run.records);
    opened++;
  }
  expect(opened).toBeGreaterThan(50);
});
