/** Plays by the goal: the shortest way from the current page to a purchase with a reward of 1. */
import type { Chosen, Product } from '../../corpus/shops/product.ts';
import type { ShopBrowser } from './browser.ts';
import type { Goal } from './goal.ts';
import { meetsOption, rewardOf } from './judge/reward.ts';
import type { ShopOptions } from './options.ts';
import { priceOf } from './price.ts';
import type { Catalogue } from './store.ts';

export class Oracle {
  private readonly choices = new Map<string, Chosen | null>();

  constructor(
    private readonly catalogue: Catalogue,
    private readonly goal: Goal,
    private readonly options: ShopOptions,
  ) {}

  /** Options with which a product is worth a reward of 1, or null. */
  private choiceFor(product: Product): Chosen | null {
    let known = this.choices.get(product.asin);
    if (known === undefined) {
      known = this.findChoice(product);
      this.choices.set(product.asin, known);
    }
    return known;
  }

  /** Exact values come first, then cheap ones. */
  private findChoice(product: Product): Chosen | null {
    const { matcher } = this.options;
    const chosen = new Map<string, string>();
    for (const wanted of this.goal.options) {
      const open = product.options.filter(({ name }) => !chosen.has(name));
      const exact = typeof wanted === 'string' ? wanted : wanted[1];
      const fits = open.flatMap(({ name, values }) =>
        values
          .filter(({ value }) => meetsOption([value], wanted, matcher))
          .map(({ value, adds }) => ({ name, value, adds })),
      );
      const best = fits.sort((a, b) => Number(b.value === exact) - Number(a.value === exact) || a.adds - b.adds)[0];
      if (best) chosen.set(best.name, best.value);
    }
    return this.isRight(product, chosen) ? chosen : null;
  }

  private isRight(product: Product, chosen: Chosen): boolean {
    const { matcher } = this.options;
    const purchase = { product, values: [...chosen.values()], price: priceOf(product, chosen, this.options.upstream) };
    return rewardOf(purchase, this.goal, this.catalogue.nounsOf, matcher).reward === 1;
  }

  /** Remaining actions, or null after the end. */
  plan(browser: ShopBrowser): string[] | null {
    if (browser.place === 'done') return null;
    const { product } = browser;
    if (product) {
      const rest = this.choose(product, browser.chosen);
      if (rest) return [...(browser.place === 'sub' ? ['click[< prev]'] : []), ...rest];
    }
    if (browser.place === 'results') {
      const way = this.wayWithin(browser.found, browser.page);
      if (way) return way;
    }
    return [...(browser.place === 'start' ? [] : ['click[back to search]']), ...this.fromSearch()];
  }

  /** Clicks on the page of a product, up to the purchase. */
  private choose(product: Product, chosen: Chosen): string[] | null {
    const wanted = this.choiceFor(product);
    if (!wanted) return null;
    const clicks = [...wanted].filter(([name, value]) => chosen.get(name) !== value);
    const after = new Map([...chosen, ...wanted]);
    if (!this.isRight(product, after)) return null;
    return [...clicks.map(([, value]) => `click[${value}]`), 'click[buy now]'];
  }

  private wayWithin(found: readonly Product[], page: number): string[] | null {
    const target = found.findIndex(({ asin }) => asin === this.goal.asin);
    const place =
      target >= 0 && this.choiceFor(found[target]) ? target : found.findIndex((each) => this.choiceFor(each));
    if (place < 0) return null;
    const { perPage, observation } = this.options;
    const wanted = Math.floor(place / perPage) + 1;
    const turns = Array.from({ length: Math.abs(wanted - page) }, () =>
      wanted > page ? 'click[next >]' : 'click[< prev]',
    );
    const name = observation === 'brief' ? `item ${(place % perPage) + 1}` : found[place].asin.toLowerCase();
    return [...turns, `click[${name}]`, ...this.choose(found[place], new Map())!];
  }

  private fromSearch(): string[] {
    const { goal, catalogue, options } = this;
    const searches = [...goal.searches, catalogue.find(goal.asin)?.title ?? goal.name];
    let best: string[] | null = null;
    for (const words of searches) {
      const way = this.wayWithin(catalogue.search(words.toLowerCase(), options.results), 1);
      if (way && (!best || way.length + 1 < best.length)) best = [`search[${words.toLowerCase()}]`, ...way];
      // A way on the first page is as short as any.
      if (best && !best.includes('click[next >]')) break;
    }
    return best ?? [`search[${searches[0]}]`];
  }
}
