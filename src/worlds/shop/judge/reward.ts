/**
 * WebShop's reward (`web_agent_site/engine/goal.py`, github.com/princeton-nlp/WebShop, MIT): the share of attributes,
 * options and price that the bought product meets, times a factor for its type.
 */
import type { Product } from '../../../corpus/shops/product.ts';
import { firstColour, firstColourAmong } from './colours.ts';
import { type Matcher, tokenSetRatio } from './token-set-ratio.ts';

/**
 * An option of a goal: a value, or a name with a value. WebShop compares the second form, of its synthetic goals, as
 * Python's text of the pair.
 */
export type GoalOption = string | readonly [name: string, value: string];

/** Parts of a goal that the reward depends on. */
export interface Wish {
  name: string;
  query: string;
  productCategory: string;
  attributes: readonly string[];
  options: readonly GoalOption[];
  priceUpper: number;
}

/** A purchase: the product, the values of its chosen options, and its price. */
export interface Purchase {
  product: Product;
  values: readonly string[];
  price: number;
}

export interface RewardParts {
  reward: number;
  /** Factor for the type: 1, 0.5, 0.1 or 0. */
  type: number;
  attributes: readonly boolean[];
  options: readonly boolean[];
  price: boolean;
}

/** Nouns of a product's name, in lower case. */
export type NounsOf = (name: string) => readonly string[];

/** Texts are alike above this ratio. */
const alikeAbove = 85;

/** Results of comparisons: the attributes and options of a shop are few, and are compared again and again. */
const compared = new Map<string, boolean>();
const mostCompared = 50_000;

function areAlike(a: string, b: string, matcher: Matcher): boolean {
  const key = `${matcher}\n${a}\n${b}`;
  let alike = compared.get(key);
  if (alike === undefined) {
    alike = tokenSetRatio(a, b, matcher) > alikeAbove;
    if (compared.size >= mostCompared) compared.clear();
    compared.set(key, alike);
  }
  return alike;
}

const categoriesOf = (path: string) => new Set(path.split('›').map((part) => part.trim()));

/** Share of the goal's nouns that the product's name has. */
function titleScore(product: string, goal: string, nounsOf: NounsOf): number {
  const wanted = nounsOf(goal);
  if (!wanted.length) return 0.2;
  const found = new Set(nounsOf(product));
  return new Set(wanted.filter((noun) => found.has(noun))).size / wanted.length;
}

function typeFactor(product: Product, goal: Wish, nounsOf: NounsOf): number {
  const wanted = categoriesOf(goal.productCategory);
  const shared = [...categoriesOf(product.productCategory)].filter((each) => wanted.has(each)).length;
  const score = titleScore(product.title, goal.name, nounsOf);
  if (score === 0) return 0;
  if (score < 0.1) return 0.1;
  return product.query === goal.query || shared >= 2 || score > 0.2 ? 1 : 0.5;
}

function meetsAttribute(product: Product, attribute: string, matcher: Matcher): boolean {
  if (product.attributes.some((own) => areAlike(own, attribute, matcher))) return true;
  const texts = [product.title, product.features.join(' '), product.description];
  return texts.some((text) => text.toLowerCase().includes(attribute));
}

/** Python's text of a pair of texts without quotes or control characters. */
const pairText = ([name, value]: readonly [string, string]) => `('${name}', '${value}')`;

/** The text of a goal's option that is compared. A pair counts as a colour only if one of its texts is one. */
function comparedText(option: GoalOption): string {
  if (typeof option === 'string') return firstColour(option);
  return firstColourAmong(option) ?? pairText(option);
}

export function meetsOption(values: readonly string[], option: GoalOption, matcher: Matcher): boolean {
  const wanted = comparedText(option);
  return values.some((value) => areAlike(firstColour(value), wanted, matcher));
}

export function rewardOf(
  { product, values, price }: Purchase,
  goal: Wish,
  nounsOf: NounsOf,
  matcher: Matcher,
): RewardParts {
  const attributes = goal.attributes.map((attribute) => meetsAttribute(product, attribute, matcher));
  const options = goal.options.map((option) => meetsOption(values, option, matcher));
  const inPrice = price <= goal.priceUpper;
  const met = [...attributes, ...options, inPrice].filter((each) => each).length;
  const type = typeFactor(product, goal, nounsOf);
  const reward = (met / (attributes.length + options.length + 1)) * type;
  return { reward, type, attributes, options, price: inPrice };
}
