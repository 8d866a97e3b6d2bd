// A run as one file: export and import are inverse; a truncated, altered or foreign file is refused with a message.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BundleError, exportRun, fileOfNew, readPolicy, readRun, writePolicy } from '../../src/store/bundle.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { unzip, zip } from '../../src/store/zip.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const zipOf = (files: { [name: string]: Uint8Array }) =>
  zip(Object.entries(files).map(([name, bytes]) => ({ name, bytes, stored: false })));

let folder: string;
let store: RunStore;
let id: string;
const bytes = (size: number, seed: number) =>
  Uint8Array.from({ length: size }, (_, i) => Math.imul(i + seed, 2654435761) >>> 24);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-bundle-'));
  store = new RunStore(new FolderStore(folder));
  ({ id } = await store.create({ name: 'a run', experiment: { seed: 1 }, origin: { kind: 'new' } }));
  await store.claim(id, 'me');
  for (const step of [0, 1, 2]) {
    const meta = { step, optimizerStep: step, kernelChoices: { k: 'a' }, batchPlan: {}, adapter: 'x' };
    await store.commit(id, 'me', {
      record: { step, metrics: { loss: 0.1 * step } } as { step: number },
      checkpoint: { meta, bytes: bytes(2000, step) },
      trajectories: bytes(300, 50 + step),
      success: step / 10,
      assets: step ? undefined : { 'tokenizer.json': encode('{"model":{}}'), 'reference.safetensors': bytes(700, 9) },
    });
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each(['all', 'last', 'none'] as const)(
  'a run is the same after export and import (checkpoints: %s)',
  async (checkpoints) => {
    const run = readRun(await exportRun(store, id, { checkpoints }), 'a.tabgym');
    const there = new RunStore(new FolderStore(join(folder, 'there')));
    const created = await there.create(run);
    const expected = { all: [0, 1, 2], last: [2], none: [] }[checkpoints];
    expect(await there.checkpointSteps(created.id)).toEqual(expected);
    for (const step of expected)
      expect(await there.checkpoint(created.id, step)).toEqual(await store.checkpoint(id, step));
    expect(await there.records(created.id)).toEqual(await store.records(id));
    expect(await there.trajectories(created.id, 1)).toEqual(bytes(300, 51));
    expect(await there.asset(created.id, 'reference.safetensors')).toEqual(bytes(700, 9));
    expect(created).toMatchObject({
      name: 'a run',
      step: 2,
      success: 0.2,
      experiment: { seed: 1 },
      origin: { kind: 'import', file: 'a.tabgym' },
    });
    expect(created.id).not.toBe(id);
  },
);

it('a run that no store holds is written with all its parts', async () => {
  const file = await exportRun(store, id, { checkpoints: 'all' });
  const { summary: _, ...run } = readRun(file, 'a.tabgym');
  const { summary, ...again } = readRun(await fileOfNew(run), 'a.tabgym');
  expect(summary).toMatchObject({ name: 'a run', step: 2, success: 0.2 });
  expect(again).toEqual({ ...run, origin: { ...run.origin, run: summary.id } });
});

it('the file is a zip with the names that its header lists', async () => {
  const names = Object.keys(unzip(await exportRun(store, id)));
  expect(names[0]).toBe('tabgym.json');
  expect(names.sort()).toEqual([
    'checkpoints/000002.safetensors',
    'experiment.json',
    'reference.safetensors',
    'steps.jsonl',
    'tabgym.json',
    'tokenizer.json',
    'trajectories/000000.bin',
    'trajectories/000001.bin',
    'trajectories/000002.bin',
  ]);
});

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('a file truncated at %i tenths is refused', async (tenth) => {
  const whole = await exportRun(store, id);
  expect(() => readRun(whole.slice(0, Math.floor((whole.length * tenth) / 10)), 'a')).toThrow(BundleError);
  expect(() => readRun(whole.slice(0, Math.floor((whole.length * tenth) / 10)), 'a')).toThrow(
    /cut short, damaged, or has another format/,
  );
});

it('a file with any altered byte of content is refused', async () => {
  const whole = await exportRun(store, id);
  let refused = 0;
  for (let at = 40; at < whole.length; at += 97) {
    const altered = whole.slice();
    altered[at] ^= 0x10;
    try {
      const run = readRun(altered, 'a');
      // Bytes that no reader uses (times, attributes) may change; the content must not.
      expect(run.checkpoints).toEqual(readRun(whole, 'a').checkpoints);
      expect(run.trajectories).toEqual(readRun(whole, 'a').trajectories);
      expect(run.records).toEqual(readRun(whole, 'a').records);
    } catch (error) {
      expect(error).toBeInstanceOf(BundleError);
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(30);
});

it('refuses foreign files and names the missing part', async () => {
  expect(() => readRun(encode('{"format":"tabgym-experiment-1"}'), 'a')).toThrow(/is not a complete zip/);
  expect(() => readRun(zipOf({ 'a.txt': encode('a') }), 'a')).toThrow(/not a Tabgym run: it has no tabgym\.json/);
  expect(() => readRun(zipOf({ 'sweep.json': encode('{}') }), 'a')).toThrow('a sweep and not one run');
  expect(() => readRun(zipOf({ 'tabgym.json': encode('{"format":"tabgym-run-9"}') }), 'a')).toThrow(
    /format "tabgym-run-9"; this version reads/,
  );
  expect(() => readRun(zipOf({ 'tabgym.json': encode('{"format":"tabgym-run-1"}') }), 'a')).toThrow(BundleError);
  expect(() => readPolicy(zipOf({ 'config.json': encode('{}') }))).toThrow(
    /model\.safetensors, tokenizer\.json missing/,
  );
  const sharded = ['config.json', 'tokenizer.json', 'model.safetensors.index.json', 'model-00001-of-00002.safetensors'];
  expect(() => readPolicy(zipOf(Object.fromEntries(sharded.map((name) => [`m/${name}`, encode('{}')]))))).toThrow(
    "weights are in several files (model.safetensors.index.json); those of a tiny policy are read from one. Save it again in Python: model.save_pretrained(FOLDER, max_shard_size='10GB')",
  );
});

it('exports and imports a policy, also from a folder inside the zip', () => {
  const files = {
    'config.json': encode('{}'),
    'model.safetensors': bytes(100, 1),
    'tokenizer.json': encode('{"a":1}'),
  };
  expect(readPolicy(writePolicy(files))).toEqual(files);
  const nested = Object.fromEntries(Object.entries(files).map(([name, content]) => [`my-policy/${name}`, content]));
  expect(readPolicy(zipOf(nested))).toEqual(files);
});
