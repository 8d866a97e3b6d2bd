/** Storage of shops that a person brings, each with its instructions: in the browser, or in a folder on Node. */
import type { BroughtShop } from './webshop-files.ts';

/** Facts about a kept shop, for lists. */
export interface KeptShop {
  name: string;
  products: number;
  instructions: number;
}

export interface ShopStore {
  list(): Promise<KeptShop[]>;
  /** Throws CorpusError if there is none of this name. */
  read(name: string): Promise<BroughtShop>;
  keep(name: string, shop: BroughtShop): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Largest file of a shop, in bytes: it is read as one text. */
export const largestShopFile = 256 * 1024 * 1024;

export const noShop = (name: string) =>
  `There is no shop named "${name}" here. Bring its files under Storage or with "npm run corpus -- add-shop".`;

/** Instructions of both kinds. */
export const instructionsIn = ({ human, synthetic }: BroughtShop): number =>
  Object.values(human).reduce((sum, { length }) => sum + length, 0) + Object.keys(synthetic).length;
