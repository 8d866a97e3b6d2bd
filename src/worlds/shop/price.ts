/** Price of a purchase. */
import { type Chosen, type Product, priceWith } from '../../corpus/shops/product.ts';
import { hashText } from '../../envs/hash.ts';
import { mixSeeds, Random } from '../../envs/random.ts';

/**
 * A product's price with the chosen options, in dollars. Under upstream's rules a product has one price, drawn from its
 * range; here from its id, so that it is the same everywhere.
 */
export function priceOf(product: Product, chosen: Chosen, upstream: boolean): number {
  const [low, high] = product.prices;
  if (!upstream) return priceWith(product, chosen);
  if (low === high) return low;
  return low + (high - low) * (new Random(mixSeeds(hashText(product.asin))).next() / 0x100000000);
}
