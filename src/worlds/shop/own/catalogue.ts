/** A shop that a person brought: its products, their index, and the nouns of their names. */
import { TextIndex } from '../../../corpus/retrieval/text-index.ts';
import { type Product, searchedText } from '../../../corpus/shops/product.ts';
import type { BroughtShop } from '../../../corpus/shops/webshop-files.ts';
import type { NounsOf } from '../judge/reward.ts';
import { type Catalogue, cachedSearch } from '../store.ts';

/** Words that are no nouns, left out of the names of products without a table of nouns. */
const noNouns = new Set(
  'a an and at by for from in into is it of off on or per the to up with without your you our all any each new best good great most more very easy high low long short small large big mini extra ultra super premium free non anti soft light dark black white red blue green grey gray pink purple brown yellow orange natural organic portable durable adjustable waterproof wireless reusable compatible'.split(
    ' ',
  ),
);

/** Words of a name with letters only, without those that are no nouns. */
const wordsOf = (name: string): string[] =>
  (name.toLowerCase().match(/\p{L}+/gu) ?? []).filter((word) => !noNouns.has(word));

const nounsIn =
  (table: NonNullable<BroughtShop['nouns']>): NounsOf =>
  (name) =>
    Object.hasOwn(table, name) ? table[name] : wordsOf(name);

/** The rule for nouns of a shop: its table, or the words of a name. */
export const nounsOfShop = ({ nouns }: Pick<BroughtShop, 'nouns'>): NounsOf => (nouns ? nounsIn(nouns) : wordsOf);

export async function openBrought(shop: BroughtShop): Promise<Catalogue> {
  const { products } = shop;
  const byId = new Map(products.map((product): [string, Product] => [product.asin, product]));
  const documents = products.map((product, number) => ({
    id: String(number),
    title: product.title,
    text: searchedText(product),
  }));
  const index = await TextIndex.inMemory(documents, { stems: true });
  return {
    size: products.length,
    at: (number) => products[number],
    find: (asin) => byId.get(asin),
    search: cachedSearch(index, (number) => products[number]),
    nounsOf: nounsOfShop(shop),
    close: () => void index.close(),
  };
}
