/**
 * Goals of a person's own shop, numbered as by WebShop (`web_agent_site/engine/goal.py`, `SimServer`) or by AgentGym's
 * server (`agentenv-webshop` at 3ef9235). Both shuffle with Python's generator and the seed 233. Price limits that
 * upstream draws without a seed are drawn here from the place of the goal, so that they are the same everywhere.
 */
import type { Product } from '../../../corpus/shops/product.ts';
import type { BroughtShop, HumanInstruction } from '../../../corpus/shops/webshop-files.ts';
import { WorldError } from '../../../envs/env.ts';
import { mixSeeds, Random } from '../../../envs/random.ts';
import type { Goal } from '../goal.ts';
import type { GoalOption } from '../judge/reward.ts';
import type { ShopOptions } from '../options.ts';
import { priceOf } from '../price.ts';
import { limitsAbove, noLimit } from '../tasks.ts';
import { PythonRandom } from './python-random.ts';

const shuffleSeed = 233;
const mostGoals = 500_000;
/** Maximum number of characters of a search that an instruction suggests. */
const mostSearched = 200;

type Draw = (limits: readonly number[]) => number;

/** The larger of two limits that are drawn without repetition; none if there are fewer than two. */
const largerOf =
  (pair: (limits: readonly number[]) => readonly [number, number]): Draw =>
  (limits) =>
    limits.length < 2 ? noLimit : Math.max(...pair(limits));

function seededDraw(seed: number): Draw {
  const random = new Random(mixSeeds(seed, shuffleSeed));
  return largerOf((limits) => {
    const pool = random.shuffle([...limits]);
    return [pool[0], pool[1]];
  });
}

/** An instruction as a search: without brackets, which would end it, and without its price. */
const asSearch = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[[\]\s]+/g, ' ')
    .trim()
    .slice(0, mostSearched);

function goalOf(
  product: Product,
  text: string,
  attributes: readonly string[],
  options: readonly GoalOption[],
  limit: number,
): Goal {
  const searches = [...new Set([text, text.split(',')[0]].map(asSearch))].filter((search) => search);
  return {
    asin: product.asin,
    instruction: `${text}${limit === noLimit ? '' : `, and price lower than ${limit.toFixed(2)} dollars`}`,
    name: product.title,
    query: product.query,
    productCategory: product.productCategory,
    attributes,
    options,
    priceUpper: limit,
    searches,
  };
}

const withoutDots = (text: string): string => text.replace(/^\.+|\.+$/g, '');

/** Price limits for a person's instruction: one random limit, or with `each` up to four, as on AgentGym's server. */
function humanLimits(price: number, draw: Draw, each: boolean): number[] {
  const limits = limitsAbove(price);
  if (!each) return [draw(limits)];
  return limits.length < 2 ? Array.from({ length: 4 }, () => noLimit) : limits;
}

function humanGoals({ products, human }: BroughtShop, draw: Draw, each: boolean): Goal[] {
  const ofOne = (product: Product, { instruction, attributes, options }: HumanInstruction): Goal[] =>
    attributes.length
      ? humanLimits(priceOf(product, new Map(), true), draw, each).map((limit) =>
          goalOf(product, withoutDots(instruction), attributes, options, limit),
        )
      : [];
  return products.flatMap((product) => (human[product.asin] ?? []).flatMap((written) => ofOne(product, written)));
}

/** All combinations of the options' values, options sorted by name; the last option changes first. */
function combinations({ options }: Product): [string, string][][] {
  const sorted = [...options].sort((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.reduce<[string, string][][]>(
    (all, { name, values }) =>
      all.flatMap((pairs) => values.map(({ value }): [string, string][] => [...pairs, [name, value]])),
    [[]],
  );
}

function syntheticGoals({ products, synthetic }: BroughtShop, draw: Draw): Goal[] {
  const goals: Goal[] = [];
  for (const product of products) {
    const made = synthetic[product.asin];
    if (!made) continue;
    const limit = draw(limitsAbove(priceOf(product, new Map(), true)));
    const count = product.options.reduce((sum, { values }) => sum * values.length, 1);
    if (goals.length + count > mostGoals)
      throw new WorldError(`The shop has more than ${mostGoals} synthetic instructions: bring a part of its products.`);
    for (const pairs of combinations(product)) {
      const text = pairs.map(([name, value]) => `${name}: ${value}`).join(', and ');
      goals.push(goalOf(product, `${made.instruction}${text ? ` with ${text}` : ''}`, made.attributes, pairs, limit));
    }
  }
  return goals;
}

/** Goals in the order of their numbers. */
export function goalsOf(
  shop: BroughtShop,
  { goals, order, seed }: Pick<ShopOptions, 'goals' | 'order' | 'seed'>,
): Goal[] {
  const agentGym = order === 'agentgym';
  const python = new PythonRandom(shuffleSeed);
  // AgentGym's server seeds before it draws the limits of synthetic instructions.
  const draw = agentGym ? largerOf((limits) => python.pair(limits)) : seededDraw(seed);
  const found = goals === 'human' ? humanGoals(shop, seededDraw(seed), agentGym) : syntheticGoals(shop, draw);
  return new PythonRandom(shuffleSeed).shuffle(found);
}
