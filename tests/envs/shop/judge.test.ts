// The shop's judge: thefuzz's ratio, WebShop's colours and reward. Values by the originals: `npm run test:shop-reference`.
import { describe, expect, it } from 'vitest';
import type { Product } from '../../../src/corpus/shops/product.ts';
import { firstColour } from '../../../src/worlds/shop/judge/colours.ts';
import { rewardOf, type Wish } from '../../../src/worlds/shop/judge/reward.ts';
import { roundHalfEven, tokenSetRatio } from '../../../src/worlds/shop/judge/token-set-ratio.ts';
import pairs from './pairs.json' with { type: 'json' };

describe('token_set_ratio', () => {
  it('is that of thefuzz 0.19.0 with both back ends on recorded pairs', () => {
    const ours = pairs.map(([a, b]) => [
      a,
      b,
      tokenSetRatio(String(a), String(b), 'difflib'),
      tokenSetRatio(String(a), String(b), 'levenshtein'),
    ]);
    expect(ours).toEqual(pairs);
    // The pairs tell the back ends apart.
    expect(pairs.filter(([, , difflib, levenshtein]) => difflib !== levenshtein).length).toBeGreaterThan(10);
  });

  it('rounds a half to the even number', () => {
    expect([0.5, 1.5, 2.5, 84.5, 85.5, 85.4].map(roundHalfEven)).toEqual([0, 2, 2, 84, 86, 85]);
  });
});

const bought: Product = {
  asin: 'B000000001',
  title: 'Velo Slim Fit Cotton Dress Shirt for Men, A1',
  query: 'dress shirts',
  category: 'fashion',
  productCategory: 'Clothing › Tops › Dress Shirts',
  description: 'Made with care.',
  features: ['Machine Wash shirt'],
  attributes: ['slim fit', 'button closure'],
  options: [],
  prices: [25, 25],
  reviews: [],
};
const wish: Wish = {
  name: bought.title,
  query: 'dress shirts',
  productCategory: bought.productCategory,
  attributes: ['slim fit', 'machine wash'],
  options: ['dark blue', 'large'],
  priceUpper: 30,
};
const nouns = (name: string) =>
  name
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => ['shirt', 'cotton', 'men', 'lamp'].includes(word));
const judge = (product: Partial<Product>, values: string[], price: number, goal: Partial<Wish> = {}) =>
  rewardOf({ product: { ...bought, ...product }, values, price }, { ...wish, ...goal }, nouns, 'difflib');

describe('the reward', () => {
  it('is 1 for everything that was wished, and counts each part otherwise', () => {
    expect(judge({}, ['navy blue', 'large'], 30).reward).toBe(1);
    expect(judge({}, ['large'], 30.01)).toMatchObject({ reward: 3 / 5, options: [false, true], price: false });
    expect(judge({ features: [] }, ['blue', 'large'], 30).reward).toBe(4 / 5);
    // Upstream's comparison ignores words that only one of the texts has: x-large counts as large.
    expect(judge({}, ['x-large'], 30).options).toEqual([false, true]);
  });

  it('multiplies by the type: 0 without a shared noun, 0.1 and 0.5 for few, 1 for the same query or categories', () => {
    expect(judge({ title: 'Table Lamp' }, ['blue', 'large'], 30)).toMatchObject({ type: 0, reward: 0 });
    const many = { name: 'shirt cotton men lamp' };
    expect(judge({ title: 'Lamp', query: 'lamps', productCategory: 'Home' }, [], 30, many).type).toBe(1);
    const six = (name: string) => (name === 'six' ? ['a', 'b', 'c', 'd', 'e', 'f'] : ['a']);
    const other = { ...bought, title: 'one', query: 'lamps', productCategory: 'Home' };
    expect(rewardOf({ product: other, values: [], price: 1 }, { ...wish, name: 'six' }, six, 'difflib').type).toBe(0.5);
    const eleven = (name: string) => (name === 'six' ? [...'abcdefghijk'] : ['a']);
    const same = { ...bought, title: 'one' };
    expect(rewardOf({ product: same, values: [], price: 1 }, { ...wish, name: 'six' }, eleven, 'difflib').type).toBe(
      0.1,
    );
  });

  it('compares a pair of a synthetic goal as Python’s text of it', () => {
    expect(judge({}, ['large'], 30, { options: [['size', 'large']] }).options).toEqual([true]);
    expect(judge({}, ['x-large'], 30, { options: [['size', 'large']] }).options).toEqual([false]);
    expect(judge({}, ['light blue'], 30, { options: [['color', 'blue']] }).options).toEqual([true]);
  });

  it('takes the first colour of WebShop’s list, even inside a word', () => {
    expect(['dark blue', 'stainless steel', 'montana', 'x-large'].map(firstColour)).toEqual([
      'blue',
      'steel',
      'tan',
      'x-large',
    ]);
  });
});
