/** Kept shops in a folder, on Node: `NAME.shop.json`, in `shops` of the corpora. */
import { KeptFolder } from '../kept-folder.ts';
import { defaultFolder } from '../store-folder.ts';
import { instructionsIn, type KeptShop, noShop, type ShopStore } from './store.ts';
import type { BroughtShop } from './webshop-files.ts';

export class FolderShops implements ShopStore {
  private readonly kept: KeptFolder;

  constructor(folder = `${defaultFolder()}/shops`) {
    this.kept = new KeptFolder('A shop on disk', '.shop.json', folder);
  }

  async list(): Promise<KeptShop[]> {
    const names = await this.kept.names();
    return Promise.all(
      names.map(async (name) => {
        const shop = await this.read(name);
        return { name, products: shop.products.length, instructions: instructionsIn(shop) };
      }),
    );
  }

  async read(name: string): Promise<BroughtShop> {
    const { readFile } = await import('node:fs/promises');
    return JSON.parse(await this.kept.read(noShop(name), () => readFile(this.kept.path(name), 'utf8')));
  }

  async keep(name: string, shop: BroughtShop): Promise<void> {
    await this.kept.write(this.kept.path(name), JSON.stringify(shop));
  }

  async remove(name: string): Promise<void> {
    await this.kept.remove(this.kept.path(name));
  }
}
