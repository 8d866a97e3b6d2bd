/** Pages in a few words, for tiny policies: a product has the number of its place, and prices are rounded up to dollars. */
import { type Product, priceWith } from '../../../corpus/shops/product.ts';
import type { ShopBrowser } from '../browser.ts';
import type { Goal } from '../goal.ts';

const dollars = (price: number): string => String(Math.ceil(price));

/** Words of a text, in lower case, without signs that a vocabulary of words lacks. */
const plain = (text: string): string => text.toLowerCase().replace(/\.00\b/g, '');

/** A product in a list: its attributes, the words that find it, its lowest price. */
const inList = (product: Product, place: number): string =>
  `${place} ${product.attributes.join(' , ')} ${product.query} ${dollars(product.prices[0])}`;

const optionText = ({ name, values }: Product['options'][number]): string =>
  `${name} ${values.map(({ value, adds }) => (adds ? `${value} + ${dollars(adds)}` : value)).join(' , ')}`;

function itemText({ product, chosen, place }: ShopBrowser, upstream: boolean): string {
  const item = product!;
  const price = `price ${dollars(upstream ? item.prices[0] : priceWith(item, chosen))}`;
  if (!chosen.size || place !== 'item') return [...item.options.map(optionText), price].join(' ; ');
  return [...[...chosen].map(([name, value]) => `${name} ${value}`), price].join(' ; ');
}

function subText({ product, sub }: ShopBrowser): string {
  if (sub === 'features') return product!.attributes.join(' , ');
  if (sub === 'description') return plain(product!.description);
  return product!.reviews.map(({ title, score }) => `${score} ${plain(title)}`).join(' ; ') || 'no reviews';
}

export function briefText(browser: ShopBrowser, goal: Goal, upstream: boolean): string {
  const { place, listed } = browser;
  if (place === 'start') return plain(goal.instruction);
  if (place === 'results') return listed.map((product, k) => inList(product, k + 1)).join(' ; ') || 'nothing found';
  if (place === 'item') return itemText(browser, upstream);
  if (place === 'sub') return subText(browser);
  return `score ${browser.reward.toFixed(2)}`;
}
