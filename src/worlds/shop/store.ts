/** The interface between an episode and a catalogue of products, made or brought. */
import type { TextIndex } from '../../corpus/retrieval/text-index.ts';
import type { Product } from '../../corpus/shops/product.ts';
import type { NounsOf } from './judge/reward.ts';

export interface Catalogue {
  readonly size: number;
  at(number: number): Product;
  /** The product of an id, or undefined. */
  find(asin: string): Product | undefined;
  /** Best products for these words, best first. */
  search(words: string, most: number): Product[];
  readonly nounsOf: NounsOf;
  close(): void;
}

/** Searches whose results are kept. */
const mostSearches = 5_000;
/** Longer searches are not kept. */
const mostKeyLength = 300;

/** Search of an index whose documents are named by the numbers of their products. Results are kept. */
export function cachedSearch(index: TextIndex, at: (number: number) => Product): Catalogue['search'] {
  const kept = new Map<string, readonly number[]>();
  return (words, most) => {
    const key = `${most} ${words}`;
    const known = kept.get(key);
    const found = known ?? index.find(words, most).map(({ id }) => Number(id));
    if (!known && key.length <= mostKeyLength) {
      if (kept.size >= mostSearches) kept.clear();
      kept.set(key, found);
    }
    return found.map(at);
  };
}
