// Rules of the run store, tested on both back ends (folder and IndexedDB): a commit is whole or absent, whatever
// interrupts it.
import 'fake-indexeddb/auto';
import { promises as fs, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { exportRun, readRun } from '../../src/store/bundle.ts';
import { crc32 } from '../../src/store/crc32.ts';
import { type Files, FolderStore } from '../../src/store/folder.ts';
import { IndexedDbStore, PART_BYTES } from '../../src/store/indexeddb.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { checkpointInterval, droppedCheckpoints, droppedTrajectories } from '../../src/store/retention.ts';
import { type Backend, CorruptError, OwnershipError, QuotaError, StoreError } from '../../src/store/run.ts';
import { BIN_DAYS, RunStore, type StepCommit } from '../../src/store/run-store.ts';

let folder: string;
let memory: MemoryStore;
beforeEach(() => {
  memory = new MemoryStore();
  folder = mkdtempSync(join(tmpdir(), 'tabgym-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const backends: { [name: string]: () => Backend } = {
  folder: () => new FolderStore(folder),
  indexeddb: () => new IndexedDbStore(folder),
  memory: () => memory,
};

const fill = (size: number, seed: number) => Uint8Array.from({ length: size }, (_, i) => (i * 31 + seed * 7) & 255);
const commitOf = (step: number, size = 3000): StepCommit => ({
  record: { step, metrics: { loss: 1 / step } } as StepCommit['record'],
  checkpoint: {
    meta: { step, optimizerStep: 2 * step, kernelChoices: {}, batchPlan: {}, adapter: 'a' },
    bytes: fill(size, step),
  },
  trajectories: fill(500, step + 100),
});

async function claimed(store: RunStore): Promise<string> {
  const run = await store.create({ name: 'a run', experiment: { seed: 1 }, origin: { kind: 'new' } });
  await store.claim(run.id, 'me');
  return run.id;
}

/** Everything stored of a run, as one comparable value. */
async function stateOf(store: RunStore, id: string) {
  const manifest = await store.manifest(id);
  const files = await Promise.all(
    Object.keys(manifest.files).map(async (name) => [name, crc32((await store.read(manifest, name))!)]),
  );
  return { step: manifest.run.step, files: Object.fromEntries(files), records: await store.records(id) };
}

describe('crc32', () => {
  it('agrees with zip', () => {
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array(0))).toBe(0);
  });
});

describe('retention', () => {
  it('keeps the last two, the first and a bounded number between, and never restores a dropped one', () => {
    let kept: number[] = [];
    let most = 0;
    for (let step = 0; step <= 3000; step++) {
      kept.push(step);
      const dropped = droppedCheckpoints(kept, 2e6);
      kept = kept.filter((s) => !dropped.includes(s));
      most = Math.max(most, kept.length);
      expect(kept.slice(-2)).toEqual(step === 0 ? [0] : [step - 1, step]);
      expect(kept[0]).toBe(0);
    }
    expect(most).toBeLessThanOrEqual(12);
    expect(kept.length).toBeGreaterThan(6);
  });

  it('keeps no forks of a checkpoint that is too large', () => {
    expect(droppedCheckpoints([0, 10, 20, 30, 31, 32], 300 * 2 ** 20)).toEqual([10, 20, 30]);
  });

  const sizesOf = (steps: number, bytes: number) => new Map(Array.from({ length: steps }, (_, i) => [i, bytes]));

  it('keeps every step of a first experiment', () => {
    expect(droppedTrajectories(sizesOf(461, 40_000), 460)).toEqual([]);
  });

  it('keeps the last fifty steps and evenly spaced ones of larger trajectories', () => {
    const dropped = new Set(droppedTrajectories(sizesOf(201, 2 ** 20), 200));
    const kept = [...sizesOf(201, 0).keys()].filter((step) => !dropped.has(step));
    // 151 MiB in a bound of 48: every fourth.
    expect(kept).toEqual([...sizesOf(201, 0).keys()].filter((step) => step > 150 || step % 4 === 0));
  });

  it('bounds the trajectories of a run of any length', () => {
    expect(100_000 - droppedTrajectories(sizesOf(100_000, 10), 99_999).length).toBeLessThanOrEqual(1050);
    expect(100_000 - droppedTrajectories(sizesOf(100_000, 2 ** 20), 99_999).length).toBeLessThanOrEqual(98);
  });

  it('writes small checkpoints every step and large ones within 5% of the time', () => {
    expect(checkpointInterval(30 * 2 ** 20, 9999, 1)).toBe(1);
    expect(checkpointInterval(400 * 2 ** 20, 2000, 8000)).toBe(5);
  });
});

describe.each(Object.keys(backends))('the store in %s', (name) => {
  it('returns what was committed, also after reopening', async () => {
    const store = new RunStore(backends[name]());
    const id = await claimed(store);
    for (const step of [0, 1, 2])
      await store.commit(id, 'me', { ...commitOf(step), assets: step ? undefined : { 'a.json': fill(9, 1) } });
    await store.close();
    const again = new RunStore(backends[name]());
    expect((await again.checkpoint(id))!.bytes).toEqual(fill(3000, 2));
    expect((await again.checkpoint(id, 1))!.meta.optimizerStep).toBe(2);
    expect(await again.trajectories(id, 1)).toEqual(fill(500, 101));
    expect(await again.asset(id, 'a.json')).toEqual(fill(9, 1));
    expect((await again.records(id)).map((r) => r.step)).toEqual([0, 1, 2]);
    expect(await again.get(id)).toMatchObject({ step: 2, bytes: 3 * 3500 + 9, experiment: { seed: 1 } });
    await again.close();
  });

  // The disk writes every step through: a quarter of a minute.
  it('thins checkpoints and keeps records through 300 steps', { tags: name === 'folder' ? 'slow' : [] }, async () => {
    const store = new RunStore(backends[name]());
    const id = await claimed(store);
    for (let step = 0; step <= 300; step++) await store.commit(id, 'me', commitOf(step, 64));
    expect(await store.checkpointSteps(id)).toEqual([0, 40, 80, 120, 160, 200, 240, 280, 299, 300]);
    expect(await store.records(id)).toHaveLength(301);
    expect(await store.trajectories(id, 131)).not.toBeNull();
    await store.close();
  });

  it('keeps the checkpoint of the best step until a better one', async () => {
    const store = new RunStore(backends[name]());
    const id = await claimed(store);
    for (let step = 1; step <= 9; step++) await store.commit(id, 'me', commitOf(step));
    await store.commit(id, 'me', { ...commitOf(10), best: { step: 10, success: 0.4 } });
    await store.commit(id, 'me', { ...commitOf(11), best: { step: 11, success: 0.5 } });
    for (let step = 12; step <= 30; step++) await store.commit(id, 'me', commitOf(step));
    expect(await store.checkpointSteps(id)).toContain(11);
    expect((await store.get(id)).best).toEqual({ step: 11, success: 0.5 });
    const file = readRun(await exportRun(store, id), 'a.tabgym');
    expect(file.checkpoints!.map(({ meta }) => meta.step)).toEqual([11, 30]);
    expect(file.best).toEqual({ step: 11, success: 0.5 });
    await store.commit(id, 'me', { ...commitOf(31), best: { step: 31, success: 0.6 } });
    expect(await store.checkpointSteps(id)).not.toContain(11);
  });

  it('refuses the commits of a former owner inside the transaction', async () => {
    const store = new RunStore(backends[name]());
    const id = await claimed(store);
    await store.commit(id, 'me', commitOf(0));
    await store.claim(id, 'other');
    const before = await stateOf(store, id);
    await expect(store.commit(id, 'me', commitOf(1))).rejects.toThrow(OwnershipError);
    expect(await stateOf(store, id)).toEqual(before);
    await store.close();
  });

  it('exports a run during training as one commit left it', async () => {
    const store = new RunStore(backends[name]());
    const id = await claimed(store);
    const files: Promise<Uint8Array>[] = [];
    for (let step = 0; step <= 12; step++) {
      await store.commit(id, 'me', commitOf(step));
      files.push(exportRun(store, id, { checkpoints: 'all' }));
    }
    for (const [step, file] of (await Promise.all(files)).entries()) {
      const run = readRun(file, 'a.tabgym');
      expect(run.step).toBeGreaterThanOrEqual(step);
      const steps = Array.from({ length: run.step! + 1 }, (_, each) => each);
      expect(run.records?.map((record) => record.step)).toEqual(steps);
      expect([...run.trajectories!.keys()]).toEqual(steps);
      expect(run.checkpoints?.at(-1)?.meta.step).toBe(run.step);
    }
  });

  it('has a bin with undo, and a purge', async () => {
    let now = 1000;
    const store = new RunStore(backends[name](), () => now);
    const id = await claimed(store);
    await store.commit(id, 'me', commitOf(0));
    await store.delete(id);
    expect((await store.list())[0].deletedUntil).toBe(1000 + BIN_DAYS * 86_400_000);
    await store.restore(id);
    expect(await store.purgeBin(true)).toBe(0);
    expect((await store.get(id)).deletedUntil).toBeNull();
    await store.delete(id);
    now += (BIN_DAYS - 1) * 86_400_000;
    expect(await store.purgeBin()).toBe(0);
    now += 2 * 86_400_000;
    expect(await store.purgeBin()).toBe(1);
    expect(await store.list()).toEqual([]);
    await expect(store.get(id)).rejects.toThrow(/Run \w+ does not exist here/);
    await store.close();
  });

  it('keeps tags and notes, removes empty ones, and refuses more than a card can show', async () => {
    const store = new RunStore(backends[name]());
    const id = await claimed(store);
    await store.annotate(id, { tags: ['thesis', 'slow'], notes: 'learns later' });
    expect(await store.get(id)).toMatchObject({ tags: ['thesis', 'slow'], notes: 'learns later' });
    for (const bad of [
      { tags: Array(21).fill('x'), notes: '' },
      { tags: ['x'.repeat(41)], notes: '' },
      { tags: [], notes: 'x'.repeat(4001) },
    ])
      await expect(store.annotate(id, bad)).rejects.toThrow(/at most 20 tags of 40 characters and notes of 4000/);
    await store.annotate(id, { tags: [], notes: '' });
    const { tags, notes } = await store.get(id);
    expect([tags, notes]).toEqual([undefined, undefined]);
    await store.close();
  });

  it('refuses a file that the file of its run could not name', async () => {
    const store = new RunStore(backends[name]());
    const made = (asset: string) =>
      store.create({ name: 'r', experiment: {}, origin: { kind: 'new' }, assets: { [asset]: fill(3, 1) } });
    for (const asset of ['recording-a\\b.jsonl', 'recording-a/../b.jsonl', `recording-a//b.jsonl`, 'x'.repeat(301)])
      await expect(made(asset)).rejects.toThrow(/^A run cannot keep the file/);
    const kept = await made('recording-a/b é.jsonl');
    expect(Object.keys(readRun(await exportRun(store, kept.id), 'r').assets!)).toEqual(['recording-a/b é.jsonl']);
    await store.close();
  });

  it('refuses an empty name and keeps the old one', async () => {
    const store = new RunStore(backends[name]());
    const id = await claimed(store);
    await expect(store.rename(id, '  ')).rejects.toThrow('1 to 120 characters');
    await store.rename(id, ' two words ');
    expect((await store.get(id)).name).toBe('two words');
    await store.close();
  });
});

describe('the folder', () => {
  it('keeps the trajectories that a person looks at', async () => {
    const store = new RunStore(new FolderStore(folder));
    const id = await claimed(store);
    const trajectoriesAt = async (step: number, bytes: number) =>
      store.commit(id, 'me', { ...commitOf(step, 10), trajectories: new Uint8Array(bytes) });
    // Together more than the bound: only even steps stay.
    for (const step of [1, 2, 3, 4]) await trajectoriesAt(step, 17 * 2 ** 20);
    store.show(id, 3);
    for (const step of [60, 61]) await trajectoriesAt(step, 10);
    expect(await store.trajectorySteps(id)).toEqual([2, 3, 4, 60, 61]);
    store.show(id, 60);
    await trajectoriesAt(62, 10);
    expect(await store.trajectorySteps(id)).toEqual([2, 4, 60, 61, 62]);
    await store.close();
  });

  /** A file system that fails after `budget` bytes or operations and leaves the current write truncated there. */
  function dying(budget: number): Files {
    let left = budget;
    const die = () => {
      left = -1;
      throw Object.assign(new Error('killed'), { code: 'KILLED' });
    };
    const spend = (n: number) => {
      if (left < n) die();
      left -= n;
    };
    const open = async (path: string, flags: string) => {
      spend(1);
      const handle = await fs.open(path, flags);
      return {
        writeFile: async (content: string | Uint8Array) => {
          const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
          if (left < bytes.length) {
            await handle.writeFile(bytes.slice(0, Math.max(0, left)));
            die();
          }
          left -= bytes.length;
          await handle.writeFile(bytes);
        },
        sync: async () => {
          spend(1);
          await handle.sync();
        },
        close: () => handle.close(),
      };
    };
    const counted =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A) => {
        spend(1);
        return call(...args);
      };
    return {
      ...fs,
      open,
      rename: counted(fs.rename),
      rm: counted(fs.rm),
      mkdir: counted(fs.mkdir),
    } as unknown as Files;
  }

  it('a commit cut at any byte leaves the run as before or as after it', { tags: 'slow' }, async () => {
    const store = new RunStore(new FolderStore(folder));
    const id = await claimed(store);
    for (const step of [0, 1, 2, 3]) await store.commit(id, 'me', commitOf(step));
    const before = await stateOf(store, id);
    const copy = join(folder, '..', `${folder.split('/').at(-1)}-cut`);
    const outcomes = { before: 0, after: 0 };
    try {
      for (let budget = 0; budget < 6500; budget += 61) {
        rmSync(copy, { recursive: true, force: true });
        await fs.cp(folder, copy, { recursive: true });
        await new RunStore(new FolderStore(copy, dying(budget))).commit(id, 'me', commitOf(4)).catch(() => {});
        const reopened = new RunStore(new FolderStore(copy));
        const found = await stateOf(reopened, id);
        if (found.step === 3) expect(found).toEqual(before);
        else expect(found).toMatchObject({ step: 4, records: { length: 5 } });
        outcomes[found.step === 3 ? 'before' : 'after']++;
        // The run continues from there.
        await reopened.commit(id, 'me', commitOf(4));
        expect((await stateOf(reopened, id)).records).toHaveLength(5);
        expect((await fs.readdir(join(copy, 'runs', id))).filter((file) => file.endsWith('.part'))).toEqual([]);
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
    expect(outcomes.before).toBeGreaterThan(30);
    expect(outcomes.after).toBeGreaterThan(0);
  });

  it('distinguishes a damaged file from a whole one', async () => {
    const store = new RunStore(new FolderStore(folder));
    const id = await claimed(store);
    await store.commit(id, 'me', commitOf(0));
    const names = await fs.readdir(join(folder, 'runs', id));
    const file = names.find((file) => file.startsWith('checkpoint'))!;
    expect(file).toMatch(/^checkpoint-000000-[0-9a-f]{8}\.bin$/);
    writeFileSync(join(folder, 'runs', id, file), fill(2999, 0));
    await expect(store.checkpoint(id)).rejects.toThrow(CorruptError);
    await expect(store.checkpoint(id)).rejects.toThrow(/checkpoint\/0 of run "a run" is damaged: 2999 bytes of 3000/);
  });

  it('reports a full disk and leaves the run unchanged', async () => {
    const inner = new FolderStore(folder);
    const store = new RunStore(inner);
    const id = await claimed(store);
    await store.commit(id, 'me', commitOf(0));
    const before = await stateOf(store, id);
    const full: Files = {
      ...fs,
      rename: async () => {
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      },
    };
    const error = await new RunStore(new FolderStore(folder, full)).commit(id, 'me', commitOf(1)).catch((e) => e);
    expect(error).toBeInstanceOf(QuotaError);
    expect(error.needed).toBe(3500);
    expect(error.message).toContain('no space to store 4 KB');
    expect(await stateOf(store, id)).toEqual(before);
    const { message } = new QuotaError(3e9, { usage: 26_900_000, quota: 10_764_300_000 } as QuotaError['space']);
    expect(message).toContain('no space to store 3.0 GB (26.9 MB of 10.8 GB are used)');
  });
});

describe('indexeddb', () => {
  it('undoes a commit whose transaction fails, and names a full quota', async () => {
    const backend = new IndexedDbStore(folder);
    const store = new RunStore(backend);
    const id = await claimed(store);
    await store.commit(id, 'me', commitOf(0));
    const before = await stateOf(store, id);
    // The third write of the commit fails; the first two must be undone.
    const { put } = IDBObjectStore.prototype;
    let puts = 0;
    const failing = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
      this: IDBObjectStore,
      ...args
    ) {
      if (++puts === 3) throw new DOMException('full', 'QuotaExceededError');
      return put.apply(this, args);
    });
    await expect(store.commit(id, 'me', commitOf(1))).rejects.toThrow(QuotaError);
    failing.mockRestore();
    expect(puts).toBe(3);
    expect(await stateOf(store, id)).toEqual(before);
    await store.commit(id, 'me', commitOf(1));
    expect((await store.get(id)).step).toBe(1);
    await store.close();
  });

  it('names a failure of the browser’s disk, and keeps what was stored', async () => {
    const store = new RunStore(new IndexedDbStore(folder));
    const id = await claimed(store);
    await store.commit(id, 'me', commitOf(0));
    const before = await stateOf(store, id);
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementationOnce(() => {
      throw new DOMException('Internal error opening backing store.', 'UnknownError');
    });
    await expect(store.commit(id, 'me', commitOf(1))).rejects.toThrow(
      /could not be stored \(Internal error opening backing store\)\. No stored data is lost\. Try again/,
    );
    vi.restoreAllMocks();
    expect(await stateOf(store, id)).toEqual(before);
    await store.commit(id, 'me', commitOf(1));
    expect((await store.get(id)).step).toBe(1);
    await store.close();
  });

  it('makes a commit again whose connection the browser closed, and names a deletion', async () => {
    const backend = new IndexedDbStore(folder);
    const store = new RunStore(backend);
    const id = await claimed(store);
    await store.commit(id, 'me', commitOf(0));
    // Chromium closes the connection in this way when the page's data is deleted (seen in `npm run test:crash -- eviction`).
    const closing = (at: 'get' | 'put') =>
      vi.spyOn(IDBObjectStore.prototype, at).mockImplementationOnce(() => {
        throw new DOMException('The connection was closed.', 'AbortError');
      });
    for (const [k, at] of (['get', 'put'] as const).entries()) {
      closing(at);
      await store.commit(id, 'me', commitOf(1 + k));
      expect((await store.get(id)).step).toBe(1 + k);
      expect((await store.records(id)).length).toBe(2 + k);
    }
    // Chromium refuses to open the database again while it deletes.
    const refused = vi.spyOn(IDBFactory.prototype, 'open').mockImplementationOnce(() => {
      throw new DOMException('Connection is closing because of: Force close delete origin', 'UnknownError');
    });
    closing('get');
    await store.commit(id, 'me', commitOf(3));
    expect(refused).toHaveBeenCalledTimes(2);
    expect((await store.get(id)).step).toBe(3);
    closing('get');
    expect((await store.get(id)).step).toBe(3);
    const get = closing('get');
    await backend.change(id, () => ({ manifest: null }));
    get.mockRestore();
    closing('put');
    await expect(store.commit(id, 'me', commitOf(4))).rejects.toThrow(StoreError);
    vi.restoreAllMocks();
    await store.close();
  });

  it('splits a record that is too large, and joins the parts on reading', async () => {
    const store = new RunStore(new IndexedDbStore(folder));
    const id = await claimed(store);
    const bytes = new Uint8Array(PART_BYTES + 5);
    bytes.set([1, 2, 3], PART_BYTES - 1);
    await store.commit(id, 'me', { record: { step: 0 }, checkpoint: null, trajectories: bytes });
    const found = (await store.trajectories(id, 0))!;
    expect(found.length).toBe(bytes.length);
    expect(found.subarray(PART_BYTES - 1, PART_BYTES + 2)).toEqual(Uint8Array.of(1, 2, 3));
    await store.close();
  });
});
