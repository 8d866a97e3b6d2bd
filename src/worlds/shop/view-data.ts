/** Data of the view of the shop: the page as a person sees it, what the agent pressed, and at the end the judgement. */
import type { WorldView } from '../../envs/env.ts';
import type { Place, ShopBrowser } from './browser.ts';
import type { Goal } from './goal.ts';
import type { RewardParts } from './judge/reward.ts';
import type { ShopOptions } from './options.ts';
import { priceTag } from './pages/page.ts';
import { clickables } from './pages/text.ts';

export interface TurnSeen {
  action: string;
  ok: boolean;
}

export interface ProductSeen {
  asin: string;
  title: string;
  price: string;
  /** Text of its `click[...]`. */
  press: string;
  visited: boolean;
}

export interface ItemSeen extends Omit<ProductSeen, 'press' | 'visited'> {
  /** Price with the chosen options. */
  path: string;
  options: { name: string; values: { value: string; adds: number; chosen: boolean }[] }[];
}

export interface ShopView extends WorldView {
  kind: 'shop';
  instruction: string;
  place: Place;
  words: string;
  page: number;
  /** Number of products that the search found. */
  total: number;
  listed: ProductSeen[];
  item: ItemSeen | null;
  /** Name and texts of the page beside the item: description, features, reviews. */
  sub: { name: string; texts: string[] } | null;
  /** Values of `click[...]` on this page. */
  buttons: string[];
  /** True if a search works here. */
  searches: boolean;
  /** Value of the last `click[...]`, or empty. */
  pressed: string;
  turns: TurnSeen[];
  outcome: {
    reward: number;
    type: number;
    /** Each wish in words, and whether the purchase meets it. */
    parts: { kind: 'attribute' | 'option' | 'price'; text: string; met: boolean }[];
    /** Title of the product that the instruction was made from. */
    target: string;
  } | null;
}

const pressedIn = (action: string | undefined): string => /^click\[(.+)\]/.exec(action ?? '')?.[1].toLowerCase() ?? '';

function outcomeOf(goal: Goal, parts: RewardParts | null): ShopView['outcome'] {
  if (!parts) return null;
  return {
    reward: parts.reward,
    type: parts.type,
    parts: [
      ...goal.attributes.map((text, k) => ({ kind: 'attribute' as const, text, met: parts.attributes[k] })),
      ...goal.options.map((option, k) => ({
        kind: 'option' as const,
        text: typeof option === 'string' ? option : option.join(': '),
        met: parts.options[k],
      })),
      { kind: 'price', text: goal.priceUpper.toFixed(2), met: parts.price },
    ],
    target: goal.name,
  };
}

function itemOf(browser: ShopBrowser, price: number): ItemSeen | null {
  const { product, chosen } = browser;
  if (!product) return null;
  const options = product.options.map(({ name, values }) => ({
    name,
    values: values.map(({ value, adds }) => ({ value, adds, chosen: chosen.get(name) === value })),
  }));
  return {
    asin: product.asin,
    title: product.title,
    price: priceTag([price, price]),
    path: product.productCategory,
    options,
  };
}

function subOf({ place, product, sub }: ShopBrowser): ShopView['sub'] {
  if (place !== 'sub' || !product) return null;
  if (sub === 'description') return { name: sub, texts: [product.description] };
  if (sub === 'features') return { name: sub, texts: [...product.features] };
  return {
    name: sub,
    texts: product.reviews.map(({ title, score, body }) => `${'★'.repeat(score)} ${title}: ${body}`),
  };
}

export function viewOf(
  browser: ShopBrowser,
  goal: Goal,
  turns: readonly TurnSeen[],
  parts: RewardParts | null,
  { observation, upstream }: ShopOptions,
  price: number,
): ShopView {
  const { place, words, page, found, visited } = browser;
  const outcome = outcomeOf(goal, parts);
  const listed = place !== 'results' ? [] : browser.listed;
  return {
    kind: 'shop',
    text: describe(browser, goal, outcome),
    instruction: goal.instruction,
    place,
    words,
    page,
    total: found.length,
    listed: listed.map(({ asin, title, prices }, k) => ({
      asin,
      title,
      price: priceTag(prices),
      press: observation === 'brief' ? `item ${k + 1}` : asin.toLowerCase(),
      visited: visited.has(asin),
    })),
    item: itemOf(browser, price),
    sub: subOf(browser),
    buttons: [...clickables(browser.pieces()).keys()],
    searches: place === 'start' || (upstream && place !== 'done'),
    pressed: pressedIn(turns.at(-1)?.action),
    turns: [...turns],
    outcome,
  };
}

const places: { readonly [place in Place]: (browser: ShopBrowser) => string } = {
  start: () => 'the search page',
  results: ({ found, words, page }) => `page ${page} of ${found.length} products for "${words}"`,
  item: ({ product }) => `the page of ${product!.title}`,
  sub: ({ product, sub }) => `${sub} of ${product!.title}`,
  done: ({ product }) => `after the purchase of ${product!.title}`,
};

function describe(browser: ShopBrowser, goal: Goal, outcome: ShopView['outcome']): string {
  const chosen = [...browser.chosen].map(([name, value]) => `${name}: ${value}`).join(', ');
  const options = chosen ? ` Chosen: ${chosen}.` : '';
  const end = outcome ? ` The purchase scores ${outcome.reward.toFixed(2)} of 1.` : '';
  return `Instruction: ${goal.instruction}. The shop shows ${places[browser.place](browser)}.${options}${end}`;
}
