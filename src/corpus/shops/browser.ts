/** Kept shops in the browser (IndexedDB): a record each, and a record of facts for lists. */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { CorpusError } from '../lines.ts';
import { instructionsIn, type KeptShop, noShop, type ShopStore } from './store.ts';
import type { BroughtShop } from './webshop-files.ts';

interface Kept extends DBSchema {
  facts: { key: string; value: KeptShop };
  shops: { key: string; value: BroughtShop };
}

const name = 'tabgym-shops';

export class BrowserShops implements ShopStore {
  private constructor(private readonly kept: IDBPDatabase<Kept>) {}

  static async open(): Promise<BrowserShops> {
    const kept = await openDB<Kept>(name, 1, {
      upgrade(database) {
        database.createObjectStore('facts', { keyPath: 'name' });
        database.createObjectStore('shops');
      },
    }).catch((error: Error) => {
      throw new CorpusError(`Shops cannot be kept here: ${error.message}. Leave private browsing.`);
    });
    return new BrowserShops(kept);
  }

  async list(): Promise<KeptShop[]> {
    return this.kept.getAll('facts');
  }

  async read(key: string): Promise<BroughtShop> {
    const found = await this.kept.get('shops', key);
    if (!found) throw new CorpusError(noShop(key));
    return found;
  }

  async keep(key: string, shop: BroughtShop): Promise<void> {
    const change = this.kept.transaction(['facts', 'shops'], 'readwrite');
    const facts = { name: key, products: shop.products.length, instructions: instructionsIn(shop) };
    await Promise.all([
      change.objectStore('facts').put(facts),
      change.objectStore('shops').put(shop, key),
      change.done,
    ]);
  }

  async remove(key: string): Promise<void> {
    const change = this.kept.transaction(['facts', 'shops'], 'readwrite');
    await Promise.all([change.objectStore('facts').delete(key), change.objectStore('shops').delete(key), change.done]);
  }
}
