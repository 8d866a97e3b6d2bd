/** Brings a shop: its files are read before anything is kept. */
import { CorpusError } from '../lines.ts';
import { largestShopFile, type ShopStore } from './store.ts';
import { readShop, type ShopCounts, type ShopFiles } from './webshop-files.ts';

/** Throws CorpusError for a file that is too large to be read as one text. */
export function checkShopFile(name: string, bytes: number): void {
  if (bytes > largestShopFile)
    throw new CorpusError(
      `${name} has ${Math.ceil(bytes / 1e6)} MB, and ${Math.floor(largestShopFile / 1e6)} MB is the most: give a part of it.`,
    );
}

export async function importShop(store: ShopStore, name: string, files: ShopFiles): Promise<ShopCounts> {
  if (!name.trim()) throw new CorpusError('A shop needs a name.');
  const { brought, counts } = readShop(files);
  await store.keep(name, brought);
  return counts;
}
