/** A made shop: its products from their numbers, and the index of their texts. */
import { TextIndex } from '../../../corpus/retrieval/text-index.ts';
import { type Product, searchedText } from '../../../corpus/shops/product.ts';
import { type Catalogue, cachedSearch } from '../store.ts';
import { nounWords } from './groups.ts';
import { kindsOf, makeProduct, type ShopPlan } from './make.ts';

/** Products that are kept after they were made. */
const mostKept = 5_000;

/** Nouns of a made product's name: its words in the table of nouns. */
const madeNouns = (name: string): string[] =>
  name
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => nounWords.has(word));

/** Indexed text of a product, by which it is found. */
const documentOf = (product: Product, number: number) => ({
  id: String(number),
  title: product.title,
  text: searchedText(product),
});

export async function openMade(plan: ShopPlan): Promise<Catalogue> {
  const kinds = kindsOf(plan);
  const numbers = new Map<string, number>();
  const kept = new Map<number, Product>();
  const at = (number: number): Product => {
    const known = kept.get(number);
    if (known) return known;
    const made = makeProduct(plan, kinds, number);
    if (kept.size >= mostKept) kept.clear();
    kept.set(number, made);
    return made;
  };
  function* documents() {
    for (let number = 0; number < plan.products; number++) {
      const product = makeProduct(plan, kinds, number);
      numbers.set(product.asin, number);
      yield documentOf(product, number);
    }
  }
  const index = await TextIndex.inMemory(documents(), { stems: true });
  return {
    size: plan.products,
    at,
    find: (asin) => (numbers.has(asin) ? at(numbers.get(asin)!) : undefined),
    search: cachedSearch(index, at),
    nounsOf: madeNouns,
    close: () => void index.close(),
  };
}
