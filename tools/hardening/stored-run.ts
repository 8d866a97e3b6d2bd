/** Faults of a disk under a stored run: a disk that is full at each write in turn, and flipped bits in each file. */
import { mkdtempSync, readdirSync, readFileSync, promises as realFs, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Files, FolderStore } from '../../src/store/folder.ts';
import { CorruptError, QuotaError } from '../../src/store/run.ts';
import { RunStore, type StepCommit } from '../../src/store/run-store.ts';
import { generator } from '../fuzz/mutations.ts';
import type { Outcome } from './outcome.ts';

const steps = 6;
const fill = (size: number, seed: number) => Uint8Array.from({ length: size }, (_, i) => (i * 31 + seed * 7) & 255);

const commitOf = (step: number): StepCommit => ({
  record: { step, metrics: { loss: 1 / (step + 1) } } as StepCommit['record'],
  checkpoint: {
    meta: { step, optimizerStep: step, kernelChoices: {}, batchPlan: {}, adapter: 'a' },
    bytes: fill(900, step),
  },
  trajectories: fill(300, step + 100),
  ...(step === 0 ? { assets: { 'tokenizer.json': fill(200, 5) } } : {}),
});

/** Everything that can be read of a run. */
async function contentOf(store: RunStore, id: string): Promise<string> {
  const manifest = await store.manifest(id);
  const files = await Promise.all(
    Object.keys(manifest.files).map(async (name) => [name, [...((await store.read(manifest, name)) ?? [])]]),
  );
  const { step, name } = manifest.run;
  return JSON.stringify([step, name, manifest.checkpoints, files, await store.records(id)]);
}

const full = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', syscall: 'write' });

/** A file system that is full from its call number `at` on. A write that fails has written half of its bytes. */
function smallDisk(at: { left: number }): Files {
  const spend = () => {
    if (at.left-- <= 0) throw full();
  };
  return {
    ...realFs,
    mkdir: (async (...call: Parameters<typeof realFs.mkdir>) => {
      spend();
      return realFs.mkdir(...call);
    }) as Files['mkdir'],
    rename: async (...call) => {
      spend();
      return realFs.rename(...call);
    },
    open: async (...call) => {
      const handle = await realFs.open(...call);
      const write = handle.writeFile.bind(handle);
      handle.writeFile = async (content) => {
        if (at.left-- > 0) return write(content);
        const bytes = Buffer.from(content as Uint8Array);
        await write(bytes.subarray(0, bytes.length >> 1));
        throw full();
      };
      return handle;
    },
  };
}

async function written(store: RunStore, id: string, from: number): Promise<void> {
  for (let step = from; step < steps; step++) await store.commit(id, 'me', commitOf(step));
}

async function madeRun(folder: string): Promise<string> {
  const store = new RunStore(new FolderStore(folder));
  const { id } = await store.create({ name: 'a run', experiment: { seed: 1 }, origin: { kind: 'new' } });
  await store.claim(id, 'me');
  return id;
}

/** Fails at write `at` of a run, frees the disk and goes on. Returns the content, or the reason why it is not right. */
async function afterFullDisk(folder: string, at: number): Promise<{ failed: boolean; content: string }> {
  const id = await madeRun(folder);
  let failed = false;
  try {
    await written(new RunStore(new FolderStore(folder, smallDisk({ left: at }))), id, 0);
  } catch (error) {
    if (!(error instanceof QuotaError)) throw error;
    failed = true;
  }
  const store = new RunStore(new FolderStore(folder));
  const done = (await store.records(id)).length;
  await written(store, id, done);
  return { failed, content: await contentOf(store, id) };
}

/** Tries a full disk at each write of a run once, then at random writes, `times` tries in all. */
export async function fullDisks(times: number): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-disk-'));
  const [expected, random] = [(await afterFullDisk(join(folder, 'whole'), 1e9)).content, generator(1)];
  let [lost, tried, writes] = [0, 0, Number.POSITIVE_INFINITY];
  for (let k = 0; k < times; k++) {
    const at = k < writes ? k : random(writes);
    const place = join(folder, String(k));
    const { failed, content } = await afterFullDisk(place, at);
    if (!failed) writes = Math.min(writes, k);
    tried++;
    if (content !== expected) lost++;
    rmSync(place, { recursive: true, force: true });
  }
  rmSync(folder, { recursive: true, force: true });
  return {
    what: `full disk at a write of a run (${Math.min(writes, times)} writes, each once)`,
    tried,
    lost,
    accepted: 0,
  };
}

/** Flipped bits in the files of a stored run: each is refused by name, or changes nothing that is read. */
export async function flippedBits(times: number): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-flips-'));
  const id = await madeRun(folder);
  await written(new RunStore(new FolderStore(folder)), id, 0);
  const place = join(folder, 'runs', id);
  const random = generator(2);
  const read = () => contentOf(new RunStore(new FolderStore(folder)), id);
  const [expected, names] = [await read(), readdirSync(place)];
  let accepted = 0;
  for (let k = 0; k < times; k++) {
    const file = join(place, names[k % names.length]);
    const bytes = readFileSync(file);
    const flipped = Buffer.from(bytes);
    flipped[random(bytes.length)] ^= 1 << random(8);
    writeFileSync(file, flipped);
    const found = await read().catch((error: Error) => error);
    if (found instanceof Error ? !(found instanceof CorruptError) : found !== expected) accepted++;
    writeFileSync(file, bytes);
  }
  const lost = Number((await read()) !== expected);
  rmSync(folder, { recursive: true, force: true });
  return { what: `flipped bit in a stored run (${names.length} files)`, tried: times, lost, accepted };
}
