import { awaitAll } from './await-all.ts';

/**
 * Works on all items in their order, at most `atOnce` at a time; `slot`: number of the worker. After a failure no
 * further item is begun; those begun are awaited, and the first error is thrown.
 */
export async function workAll<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, slot: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (slot: number) => {
    while (next < items.length) {
      try {
        await work(items[next++], slot);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await awaitAll(Array.from({ length: Math.min(atOnce, items.length) }, (_, slot) => worker(slot)));
}
