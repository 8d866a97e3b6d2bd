/**
 * Calls the OPFS disk from a worker, the only place where it works. Input: [method, ...arguments]; output: {value} or
 * {error}, in order.
 */
import { WeightsCache } from '../../src/store/weights-cache.ts';
import { OpfsDisk } from '../../src/store/weights-opfs.ts';

const disk = new OpfsDisk('weights-test');
const cache = new WeightsCache(disk);

const scripts = {
  async clear() {
    for (const folder of await disk.folders()) await disk.remove(folder);
    return disk.folders();
  },
  /** Commits pieces and stops without closing the model, as a killed tab would. */
  async begin(pieces: number) {
    const kept = await cache.begin<number>({ key: 'k', label: 'Model', kind: 'int8', texts: { a: 'b' }, plan: null });
    const writer = await cache.append(kept);
    for (let i = 0; i < pieces; i++) await writer.append([new Uint8Array(1000 + i).fill(i)], i);
    await writer.close();
    return kept.pieces.length;
  },
  async goOn(pieces: number) {
    const kept = (await cache.find<number>('k', 'int8'))!;
    const writer = await cache.append(kept);
    for (let i = 0; i < pieces; i++) await writer.append([Uint8Array.of(7), Uint8Array.of(8, i)], 100 + i);
    await writer.complete();
    await writer.close();
    return kept.pieces.length;
  },
  async readAll() {
    const kept = (await cache.find<number>('k', 'int8'))!;
    const bytes = await Promise.all(kept.pieces.map((piece) => cache.read(kept, piece)));
    const list = kept.pieces.map(({ what }, i) => [what, bytes[i].length, bytes[i].at(-1)]);
    return { complete: kept.complete, texts: kept.note.texts, list };
  },
  async tear() {
    const [folder] = await disk.folders();
    const journal = await disk.writer(folder, 'pieces.jsonl');
    await journal.truncate((await journal.size()) - 5);
    await journal.close();
  },
  async twoWriters() {
    const kept = (await cache.find<number>('k', 'int8'))!;
    const first = await cache.append(kept);
    try {
      await cache.append(kept);
      return 'both';
    } catch (error) {
      return (error as Error).message;
    } finally {
      await first.close();
    }
  },
  list: () => cache.list(),
  space: () => cache.space(),
};

addEventListener('message', async ({ data: [name, ...args] }) => {
  try {
    postMessage({ value: await (scripts[name as keyof typeof scripts] as (...args: unknown[]) => unknown)(...args) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
});
