/** A shop for the comparison: made products with some odd ones, and instructions of both kinds, in WebShop's files. */
import type { Product } from '../../src/corpus/shops/product.ts';
import {
  type BroughtShop,
  type HumanInstruction,
  readShop,
  type SyntheticInstruction,
  writeShop,
} from '../../src/corpus/shops/webshop-files.ts';
import { mixSeeds, Random } from '../../src/envs/random.ts';
import { kindsOf, makeProduct } from '../../src/worlds/shop/catalogue/make.ts';
import { nounsOfShop } from '../../src/worlds/shop/own/catalogue.ts';

const products = 400;

/** Changes that made products do not have: empty and odd texts, equal values of two options, prices above all limits. */
const odd: readonly ((product: Product) => Partial<Product>)[] = [
  () => ({ description: '' }),
  () => ({ description: ' \n ', features: ['', ' '] }),
  ({ title }) => ({ title: `${title} — "Größe" <5> & 6'` }),
  () => ({
    options: [
      { name: 'color', values: [{ value: 'grün "a"', adds: 0 }] },
      { name: 'size', values: [{ value: "it's <b> & c", adds: 0 }] },
    ],
  }),
  () => ({
    options: ['color', 'pattern'].map((name) => ({
      name,
      values: ['red', 'blue'].map((value) => ({ value, adds: 0 })),
    })),
  }),
  () => ({ prices: [995, 995] }),
  () => ({ prices: [985.5, 985.5] }),
  () => ({ attributes: ['machine washing', 'usb-port'] }),
  () => ({ productCategory: 'Home & Kitchen', query: 'odd things' }),
];

function humanOf(random: Random, { attributes, options }: Product): HumanInstruction {
  const chosen = options.filter(() => random.chance(70)).map(({ values }) => random.pick(values).value);
  return {
    instruction: `i want ${attributes.join(' and ')}, ${random.pick(['please', 'now', 'for me'])}${random.pick(['', '.', '..'])}`,
    attributes: random.chance(5) ? [] : random.shuffle([...attributes]).slice(0, random.between(1, attributes.length)),
    options: chosen,
  };
}

export function sampleShop(seed: number) {
  const random = new Random(mixSeeds(seed, 9));
  const plan = { seed, products, heldOut: false, heldOutKinds: false };
  const kinds = kindsOf(plan);
  const made = Array.from({ length: products }, (_, number) => {
    const product = makeProduct(plan, kinds, number);
    // The original has no reviews, and draws a price from a range at random.
    const plain = { ...product, reviews: [], prices: [product.prices[0], product.prices[0]] as const };
    return random.chance(20) ? { ...plain, ...random.pick(odd)(plain) } : plain;
  });
  const human: Record<string, HumanInstruction[]> = {};
  const synthetic: Record<string, SyntheticInstruction> = {};
  for (const product of made) {
    if (random.chance(60))
      human[product.asin] = Array.from({ length: random.between(1, 3) }, () => humanOf(random, product));
    if (random.chance(60))
      synthetic[product.asin] = {
        instruction: `Find me ${product.attributes.join(', ')} ${product.query}`,
        attributes: product.attributes,
      };
  }
  const files = writeShop({ products: made, human, synthetic, nouns: null });
  const { brought: shop } = readShop({ products: files.products, attributes: files.attributes, human: files.human });
  return { shop, files: { ...files, nouns: JSON.stringify(nounTable(shop)) } };
}

/** Nouns of all names, as the shop itself takes them. */
function nounTable(shop: BroughtShop): { [name: string]: readonly string[] } {
  const nounsOf = nounsOfShop(shop);
  return Object.fromEntries(shop.products.map(({ title }) => [title, nounsOf(title)]));
}
