import type { Random } from '../../envs/random.ts';
import { type InstructionTemplate, instructionTemplates, type Wording } from './catalogue/instructions.ts';
import type { Goal } from './goal.ts';
import type { ShopOptions } from './options.ts';
import { priceOf } from './price.ts';
import type { Catalogue } from './store.ts';

/** Price limits are multiples of this many dollars, as upstream. */
const priceStep = 10;
/** Number of limits above a price from which one is drawn. */
const limits = 4;
const mostLimit = 990;
/** Stands for the limit in goals that have no limit. */
export const noLimit = 1_000_000;

/** Possible limits: the first four multiples of ten dollars above the price, up to 990. */
export function limitsAbove(price: number): number[] {
  const first = Math.floor(price / priceStep) * priceStep + priceStep;
  return Array.from({ length: limits }, (_, k) => first + k * priceStep).filter((each) => each <= mostLimit);
}

/** Price limit, by upstream's rule: the larger of two different possible ones, or none if there are fewer. */
function drawLimit(price: number, random: Random): number {
  const range = random.shuffle(limitsAbove(price));
  return range.length < 2 ? noLimit : Math.max(range[0], range[1]);
}

function templatesOf(heldOut: boolean, { heldOutTemplates }: ShopOptions): InstructionTemplate[] {
  return instructionTemplates.filter((each) => Boolean(each.heldOut) === (heldOut && heldOutTemplates));
}

/** Searches that the words of a wish suggest. */
function searchesOf({ kind, attributes }: Pick<Wording, 'kind' | 'attributes'>): string[] {
  const all = attributes.length > 1 ? [`${attributes.join(' ')} ${kind}`] : [];
  return [...all, ...attributes.map((attribute) => `${attribute} ${kind}`), kind];
}

/** Number of attributes and options that a task asks for, if its product has as many: the first draws of a task. */
export const asks = (options: ShopOptions, random: Random) => ({
  attributes: random.pick(options.attributes),
  options: random.pick(options.choices),
});

export function makeGoal(catalogue: Catalogue, options: ShopOptions, random: Random, heldOut: boolean): Goal {
  const wanted = asks(options, random);
  const product = catalogue.at(random.below(catalogue.size));
  const attributes = random.shuffle([...product.attributes]).slice(0, wanted.attributes);
  const asked = random.shuffle([...product.options]).slice(0, wanted.options);
  const chosen = new Map(asked.map(({ name, values }) => [name, random.pick(values).value]));
  const limit = drawLimit(priceOf(product, chosen, options.upstream), random);
  const wording: Wording = {
    kind: product.query,
    attributes,
    options: [...chosen],
    price: limit === noLimit ? null : limit,
  };
  return {
    asin: product.asin,
    instruction: random.pick(templatesOf(heldOut, options)).write(wording),
    name: product.title,
    query: product.query,
    productCategory: product.productCategory,
    attributes,
    options: [...chosen.values()],
    priceUpper: limit,
    searches: searchesOf(wording),
  };
}
