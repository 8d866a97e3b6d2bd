/** Kept shops in a folder, on Node: `NAME.shop.json`, in `shops` of the corpora. */
import { CorpusError } from '../lines.ts';
import { defaultFolder } from '../store-folder.ts';
import { instructionsIn, type KeptShop, noShop, type ShopStore } from './store.ts';
import type { BroughtShop } from './webshop-files.ts';

const ending = '.shop.json';

/** Checks that a name can be that of a file. */
const plainName = (name: string): string => {
  if (!/^[\w. -]{1,100}$/.test(name) || /^\.|\.$/.test(name))
    throw new CorpusError(
      `A shop on disk cannot be named "${name}": use up to 100 letters, digits, spaces, dots and dashes.`,
    );
  return name;
};

export class FolderShops implements ShopStore {
  constructor(private readonly folder = `${defaultFolder()}/shops`) {}

  private async fs() {
    return import('node:fs/promises');
  }

  private path(name: string): string {
    return `${this.folder}/${plainName(name)}${ending}`;
  }

  async list(): Promise<KeptShop[]> {
    const { readdir } = await this.fs();
    const files = (await readdir(this.folder).catch((): string[] => [])).filter((file) => file.endsWith(ending)).sort();
    return Promise.all(
      files.map(async (file) => {
        const name = file.slice(0, -ending.length);
        const shop = await this.read(name);
        return { name, products: shop.products.length, instructions: instructionsIn(shop) };
      }),
    );
  }

  async read(name: string): Promise<BroughtShop> {
    const { readFile } = await this.fs();
    try {
      return JSON.parse(await readFile(this.path(name), 'utf8'));
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') throw new CorpusError(noShop(name));
      throw error;
    }
  }

  async keep(name: string, shop: BroughtShop): Promise<void> {
    const { mkdir, writeFile } = await this.fs();
    const path = this.path(name);
    await mkdir(this.folder, { recursive: true });
    await writeFile(path, JSON.stringify(shop));
  }

  async remove(name: string): Promise<void> {
    const { rm } = await this.fs();
    await rm(this.path(name), { force: true });
  }
}
