// Damage in a stored run's records and description: found by a hash, named by its step, and the whole steps go on.
import 'fake-indexeddb/auto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderStore } from '../../src/store/folder.ts';
import { IndexedDbStore } from '../../src/store/indexeddb.ts';
import { DamagedRecordError, linked, verifiedRecords, wholeRecords } from '../../src/store/record-chain.ts';
import { type Backend, CorruptError, type RunManifest, type StoredRecord } from '../../src/store/run.ts';
import { RunStore } from '../../src/store/run-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-chain-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const backends: { [name: string]: () => Backend } = {
  folder: () => new FolderStore(folder),
  indexeddb: () => new IndexedDbStore(folder),
};

const recordAt = (step: number) =>
  ({ step, metrics: { loss: 1 / (step + 1), kl: Number.NaN, tiny: -0, absent: undefined }, 7: 'x' }) as StoredRecord;

/** A run with records of steps 0 to `last`. */
async function runWith(store: RunStore, last: number): Promise<string> {
  const { id } = await store.create({ name: 'a run', experiment: { seed: 1 }, origin: { kind: 'new' } });
  await store.claim(id, 'me');
  for (let step = 0; step <= last; step++)
    await store.commit(id, 'me', { record: recordAt(step), checkpoint: null, trajectories: null });
  return id;
}

const steps = (records: readonly StoredRecord[]) => records.map(({ step }) => step);

describe.each(Object.keys(backends))('records in the back end %s', (name) => {
  it('are read as they were written, and the chain goes on over sessions, copies and a step written twice', async () => {
    const id = await runWith(new RunStore(backends[name]()), 2);
    const store = new RunStore(backends[name]());
    await store.claim(id, 'other');
    for (const step of [2, 3])
      await store.commit(id, 'other', { record: recordAt(step), checkpoint: null, trajectories: null });
    const records = await store.records(id);
    expect(JSON.stringify(records)).toBe(JSON.stringify([0, 1, 2, 3].map(recordAt)));
    const { id: copy } = await store.create({
      name: 'copy',
      experiment: {},
      origin: { kind: 'new' },
      step: 3,
      records,
    });
    expect(JSON.stringify(await store.records(copy))).toBe(JSON.stringify(records));
    await store.close();
  });

  it('a description that cannot be read hides no other run', async () => {
    const backend = backends[name]();
    const store = new RunStore(backend);
    const id = await runWith(store, 1);
    for (const [k, broken] of [{}, { run: null }, { run: { id: 'x', name: {} } }, null].entries())
      if (name === 'indexeddb' || broken)
        await backend.change(`broken${k}`, () => ({
          manifest: { files: {}, checkpoints: {}, ...broken } as RunManifest,
        }));
    expect((await store.list()).map((run) => run.id)).toEqual([id]);
    expect(await store.unreadable()).toBeGreaterThanOrEqual(3);
    await expect(store.get('broken1')).rejects.toThrow(CorruptError);
    await store.close();
  });

  it.each([
    { tags: 'abc' },
    { tags: [null] },
    { notes: {} },
    { origin: { kind: 'fork', parent: {} } },
    { sweep: 5 },
    { sweep: { id: 'a', document: null } },
  ])('a description with %j hides no other run', async (changes) => {
    const backend = backends[name]();
    const store = new RunStore(backend);
    const id = await runWith(store, 1);
    const { run } = await store.manifest(id);
    await backend.change('broken', () => ({
      manifest: { files: {}, checkpoints: {}, run: { ...run, id: 'broken', ...changes } } as unknown as RunManifest,
    }));
    expect((await store.list()).map((each) => each.id)).toEqual([id]);
    expect(await store.unreadable()).toBe(1);
    await store.close();
  });

  it('a description with the id of another run is of the run at its key', async () => {
    const backend = backends[name]();
    const store = new RunStore(backend);
    const id = await runWith(store, 1);
    await backend.change(id, (manifest) => ({ manifest: { ...manifest!, run: { ...manifest!.run, id: 'other' } } }));
    expect((await store.list()).map((run) => run.id)).toEqual([id]);
    expect((await store.get(id)).id).toBe(id);
    await store.rename(id, 'renamed');
    await store.delete(id);
    expect(await store.purgeBin(true)).toBe(1);
    expect(await store.list()).toEqual([]);
    await store.close();
  });
});

it.each([null, 'x', 5])('a record that became %j is named by its step', (value) => {
  const { records, chain } = linked([0, 1, 2].map(recordAt));
  const stored = [records[0], value, records[2]] as never;
  expect(() => verifiedRecords(stored, { name: 'a run', step: 2, chain })).toThrow(
    'The record of step 1 of run "a run" is damaged',
  );
});

it('a first commit that was interrupted after its records leaves none', async () => {
  const store = new RunStore(new FolderStore(folder));
  const { id } = await store.create({ name: 'a run', experiment: {}, origin: { kind: 'new' } });
  await store.claim(id, 'me');
  const [left] = linked([recordAt(0)]).records;
  writeFileSync(join(folder, 'runs', id, 'records-000000.jsonl'), `${JSON.stringify(left)}\n`);
  expect(await store.records(id)).toEqual([]);
  for (const step of [0, 1])
    await store.commit(id, 'me', { record: recordAt(step), checkpoint: null, trajectories: null });
  expect(steps(await store.records(id))).toEqual([0, 1]);
});

describe('a chain', () => {
  const { records, chain } = linked([0, 1, 2, 3].map(recordAt));
  const run = { name: 'a run', step: 3, chain };
  const refusal = (damaged: readonly StoredRecord[]) => {
    try {
      verifiedRecords(damaged, run);
    } catch (error) {
      return error as DamagedRecordError;
    }
    return null;
  };

  it.each([
    ['a changed number', (all: StoredRecord[]) => Object.assign(all[2], { metrics: { loss: 0.5 } }), 2],
    ['a field more', (all: StoredRecord[]) => Object.assign(all[1], { more: 1 }), 1],
    ['a missing record', (all: StoredRecord[]) => all.splice(1, 1), 2],
    ['a missing last record', (all: StoredRecord[]) => all.pop(), 3],
    [
      'two exchanged contents',
      (all: StoredRecord[]) =>
        ([all[1], all[2]] = [
          { ...all[2], step: 1 },
          { ...all[1], step: 2 },
        ]),
      1,
    ],
    ['a record without its hash', (all: StoredRecord[]) => delete (all[2] as { chain?: string }).chain, 2],
    ['a changed hash', (all: StoredRecord[]) => Object.assign(all[3], { chain: '0' }), 3],
  ])('finds %s', (_, damage, step) => {
    const damaged = structuredClone(records);
    damage(damaged);
    const error = refusal(damaged);
    expect(error).toBeInstanceOf(DamagedRecordError);
    expect([error?.step, error?.lastWhole]).toEqual([step, step - 1 - Number(damaged.length === 3 && step === 2)]);
    expect(error?.message).toMatch(/of run "a run" is damaged.*--fork-at/);
  });

  it('lets the steps before the damage be read', () => {
    const damaged = structuredClone(records);
    Object.assign(damaged[2], { metrics: {} });
    expect(steps(verifiedRecords(damaged, run, 1))).toEqual([0, 1]);
    expect(refusal(damaged)?.lastWhole).toBe(1);
  });

  it('leaves out damaged records, and a step computed again after a link that was replaced', () => {
    const left = (damage: (all: StoredRecord[]) => void) => {
      const damaged = structuredClone(records);
      damage(damaged);
      return steps(wholeRecords(damaged, chain, 3));
    };
    expect(left(() => {})).toEqual([0, 1, 2, 3]);
    expect(left((all) => Object.assign(all[1], { metrics: {} }))).toEqual([0, 2, 3]);
    expect(left((all) => all.splice(1, 1))).toEqual([0, 3]);
    expect(left((all) => all.splice(1, 1, null as never))).toEqual([0, 3]);
    // A version of before 30 November 2026 wrote step 2 again after the last record but one of steps 0 to 3.
    const again = linked([2, 3].map(recordAt), (records[2] as { chain?: string }).chain);
    const rewritten = [...records.slice(0, 2), ...again.records];
    expect(() => verifiedRecords(rewritten, { ...run, chain: again.chain })).toThrow(/record of step 2 .* damaged/);
    expect(steps(wholeRecords(rewritten, again.chain, 3))).toEqual([0, 1, 3]);
  });

  it('begins after the records of an older version', () => {
    const older = [0, 1].map(recordAt);
    const after = linked([2, 3].map(recordAt));
    expect(steps(verifiedRecords([...older, ...after.records], { ...run, chain: after.chain }))).toEqual([0, 1, 2, 3]);
    expect(steps(verifiedRecords(older, { name: 'a', step: 1 }))).toEqual([0, 1]);
  });
});

it('every flipped bit of a stored run is refused by name, or changes nothing that is read', async () => {
  const id = await runWith(new RunStore(new FolderStore(folder)), 2);
  const place = join(folder, 'runs', id);
  const read = async () => {
    const store = new RunStore(new FolderStore(folder));
    const { run } = await store.manifest(id);
    return JSON.stringify([run, await store.records(id)]);
  };
  const whole = await read();
  for (const file of readdirSync(place)) {
    const bytes = readFileSync(join(place, file));
    for (let at = 0; at < bytes.length; at += 3) {
      const flipped = Buffer.from(bytes);
      flipped[at] ^= 1 << (at % 8);
      writeFileSync(join(place, file), flipped);
      const found = await read().catch((error: Error) => error);
      if (found instanceof Error) expect([at, found]).toEqual([at, expect.any(CorruptError)]);
      else expect([file, at, found]).toEqual([file, at, whole]);
    }
    writeFileSync(join(place, file), bytes);
  }
  expect(await read()).toBe(whole);
});
