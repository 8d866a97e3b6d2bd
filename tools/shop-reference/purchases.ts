/** Random purchases for the comparison of the reward: a product, chosen options, and a goal of the same shop. */
import type { BroughtShop } from '../../src/corpus/shops/webshop-files.ts';
import { mixSeeds, Random } from '../../src/envs/random.ts';
import { type GoalOption, rewardOf, type Wish } from '../../src/worlds/shop/judge/reward.ts';
import { nounsOfShop } from '../../src/worlds/shop/own/catalogue.ts';

/** Records for compare.py: the product's id, values, price and goal, and our reward with its parts. */
export function randomPurchases(shop: BroughtShop, count: number, seed: number) {
  const random = new Random(mixSeeds(seed, 11));
  const nounsOf = nounsOfShop(shop);
  const kindred = (query: string) => shop.products.filter((product) => product.query === query);
  return Array.from({ length: count }, () => {
    const wanted = random.pick(shop.products);
    const bought = random.chance(60) ? random.pick(kindred(wanted.query)) : random.pick(shop.products);
    const values = bought.options.filter(() => random.chance(75)).map((each) => random.pick(each.values).value);
    const options = wanted.options
      .filter(() => random.chance(75))
      .map(({ name, values: all }): GoalOption => {
        const value = random.pick(all).value;
        return random.chance(30) ? [name, value] : value;
      });
    const pairs = options.every((option) => typeof option !== 'string');
    const goal: Wish = {
      name: wanted.title,
      query: wanted.query,
      productCategory: wanted.productCategory,
      attributes: random.shuffle([...wanted.attributes]).slice(0, random.between(1, 3)),
      // WebShop's options are pairs all, or values all.
      options: pairs ? options : options.map((option) => (typeof option === 'string' ? option : option[1])),
      priceUpper: random.pick([20, 50, 100, 1_000_000]),
    };
    const price = bought.prices[0];
    const parts = rewardOf({ product: bought, values, price }, goal, nounsOf, 'difflib');
    return { asin: bought.asin, values, paid: price, goal, pairs, ...parts };
  });
}
