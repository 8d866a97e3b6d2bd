/**
 * WebShop's files (`web_agent_site/engine/engine.py`, github.com/princeton-nlp/WebShop, MIT): products
 * (`items_shuffle.json`), attributes with synthetic instructions (`items_ins_v2.json`) and instructions by people
 * (`items_human_ins.json`). Products may also have `reviews`, and values of options the amount that they `add` to the
 * price, which WebShop does not read.
 */
import * as v from 'valibot';
import { strip } from '../../envs/reply.ts';
import { CorpusError } from '../lines.ts';
import type { OptionValue, Product, ProductOption, Review } from './product.ts';

/** An instruction that a person wrote for a product. */
export interface HumanInstruction {
  instruction: string;
  attributes: readonly string[];
  options: readonly (string | readonly [name: string, value: string])[];
}

/** The beginning of synthetic instructions for a product. */
export interface SyntheticInstruction {
  instruction: string;
  attributes: readonly string[];
}

export interface BroughtShop {
  products: readonly Product[];
  /** Instructions by people, by the id of their product. */
  human: { readonly [asin: string]: readonly HumanInstruction[] };
  synthetic: { readonly [asin: string]: SyntheticInstruction };
  /** Nouns of products' names, in lower case; null: the words of the names count. */
  nouns: { readonly [name: string]: readonly string[] } | null;
}

/** Texts of WebShop's files; all but the products may be absent. */
export interface ShopFiles {
  products: string;
  attributes?: string;
  human?: string;
  nouns?: string;
}

export interface ShopCounts {
  products: number;
  /** Records left out: of an id that is too long or repeated, or without a field that a page needs. */
  refused: number;
  human: number;
  synthetic: number;
  /** First reasons for records left out. */
  examples: string[];
}

const mostProducts = 100_000;
const mostExamples = 3;
/** Attribute of a product that has none, as upstream. */
/** An entry by an id of the file, which may be the name of a method. */
const entryOf = <T>(entries: { readonly [id: string]: T }, id: string): T | undefined =>
  Object.hasOwn(entries, id) ? entries[id] : undefined;

const noAttribute = 'DUMMY_ATTR';
/** Price of a product without one, as upstream. */
const noPrice = 100;

const texts = v.array(v.string());
const ReviewSchema = v.looseObject({
  title: v.optional(v.string(), ''),
  score: v.optional(v.number()),
  stars: v.optional(v.number()),
  body: v.optional(v.string()),
  review: v.optional(v.string()),
});
const ValueSchema = v.looseObject({ value: v.string(), adds: v.optional(v.pipe(v.number(), v.minValue(0)), 0) });
const ProductSchema = v.looseObject({
  asin: v.string(),
  name: v.string(),
  full_description: v.string(),
  small_description: v.union([v.string(), texts]),
  pricing: v.nullish(v.string()),
  customization_options: v.nullish(v.union([v.record(v.string(), v.nullable(v.array(ValueSchema))), v.literal('')])),
  category: v.string(),
  query: v.string(),
  product_category: v.string(),
  reviews: v.optional(v.array(ReviewSchema), []),
});
const OptionsSchema = v.union([texts, v.record(v.string(), v.string())]);
const HumanSchema = v.record(
  v.string(),
  v.array(
    v.looseObject({ instruction: v.string(), instruction_attributes: texts, instruction_options: OptionsSchema }),
  ),
);
const AttributesSchema = v.record(
  v.string(),
  v.looseObject({
    attributes: v.optional(texts),
    instruction: v.nullish(v.string()),
    instruction_attributes: v.nullish(texts),
  }),
);

function parsed<S extends v.GenericSchema>(text: string, schema: S, what: string): v.InferOutput<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CorpusError(`The file of ${what} is not JSON: ${(error as Error).message}. Give WebShop's own file.`);
  }
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new CorpusError(
    `The file of ${what} is not WebShop's: ${v.getDotPath(issue) ?? 'its value'}: ${issue.message}.`,
  );
}

/** Prices in dollars of a text such as "$12.50$20.00". */
function pricesOf(pricing: string | null | undefined): [number, number] {
  if (!pricing) return [noPrice, noPrice];
  const found = pricing
    .split('$')
    .slice(1)
    .map((part) => part.replace(/[^\d.]/g, ''));
  if (!found.length || found.some((part) => !/^\d+(?:\.\d*)?$|^\.\d+$/.test(part)))
    throw new CorpusError(`its price is "${pricing}"`);
  const [low, high = low] = found.map(Number);
  return [low, high];
}

const valueText = (value: string): string => strip(value).replaceAll('/', ' | ').toLowerCase();

function optionsOf(record: v.InferOutput<typeof ProductSchema>['customization_options']): ProductOption[] {
  const found = new Map<string, OptionValue[]>();
  for (const [name, contents] of Object.entries(record || {}))
    if (contents)
      found.set(
        name.toLowerCase(),
        contents.map(({ value, adds }) => ({ value: valueText(value), adds })),
      );
  return [...found].map(([name, values]) => ({ name, values }));
}

const reviewOf = ({ title, score, stars, body, review }: v.InferOutput<typeof ReviewSchema>): Review => ({
  title,
  score: score ?? stars ?? 0,
  body: body ?? review ?? '',
});

function productOf(record: unknown, attributes: v.InferOutput<typeof AttributesSchema>): Product {
  const result = v.safeParse(ProductSchema, record);
  if (!result.success)
    throw new CorpusError(`its field ${v.getDotPath(result.issues[0]) ?? ''} is wrong: ${result.issues[0].message}`);
  const { asin, name, full_description, small_description, pricing, customization_options, category } = result.output;
  if (asin === 'nan' || [...asin].length > 10) throw new CorpusError(`its id "${asin}" has more than 10 characters`);
  return {
    asin,
    title: name,
    query: strip(result.output.query.toLowerCase()),
    category,
    productCategory: result.output.product_category,
    description: full_description,
    features: typeof small_description === 'string' ? [small_description] : small_description,
    attributes: entryOf(attributes, asin)?.attributes ?? [noAttribute],
    options: optionsOf(customization_options),
    prices: pricesOf(pricing),
    reviews: result.output.reviews.map(reviewOf),
  };
}

interface ReadProducts {
  products: Product[];
  refused: string[];
}

function readProducts(records: readonly unknown[], attributes: v.InferOutput<typeof AttributesSchema>): ReadProducts {
  const seen = new Set<string>();
  const read: ReadProducts = { products: [], refused: [] };
  for (const [place, record] of records.entries()) {
    try {
      const product = productOf(record, attributes);
      if (seen.has(product.asin)) throw new CorpusError(`its id "${product.asin}" occurs before`);
      seen.add(product.asin);
      read.products.push(product);
    } catch (error) {
      if (!(error instanceof CorpusError)) throw error;
      read.refused.push(`product ${place}: ${error.message}`);
    }
  }
  return read;
}

const asOptions = (options: v.InferOutput<typeof OptionsSchema>): HumanInstruction['options'] =>
  Array.isArray(options) ? options : Object.entries(options);

/** Reads a shop. Throws CorpusError for a file that is not of the form, for none or too many products, or no instruction. */
export function readShop(files: ShopFiles): { brought: BroughtShop; counts: ShopCounts } {
  const records = parsed(files.products, v.array(v.unknown()), 'products');
  if (records.length > mostProducts)
    throw new CorpusError(
      `The file has ${records.length} products, and ${mostProducts} is the most: give a part of it.`,
    );
  const attributes = files.attributes ? parsed(files.attributes, AttributesSchema, 'attributes') : {};
  const people = files.human ? parsed(files.human, HumanSchema, 'instructions') : {};
  const nouns = files.nouns ? parsed(files.nouns, v.record(v.string(), texts), 'nouns') : null;
  const { products, refused } = readProducts(records, attributes);
  if (!products.length) throw new CorpusError(`The file has no products. ${refused[0] ?? ''}`);
  const human: Record<string, HumanInstruction[]> = {};
  const synthetic: Record<string, SyntheticInstruction> = {};
  for (const { asin } of products) {
    const written = (entryOf(people, asin) ?? []).map((each) => ({
      instruction: each.instruction,
      attributes: each.instruction_attributes,
      options: asOptions(each.instruction_options),
    }));
    if (written.length) human[asin] = written;
    const { instruction, instruction_attributes } = entryOf(attributes, asin) ?? {};
    if (instruction && instruction_attributes?.length)
      synthetic[asin] = { instruction, attributes: instruction_attributes };
  }
  const counts: ShopCounts = {
    products: products.length,
    refused: refused.length,
    human: Object.values(human).reduce((sum, { length }) => sum + length, 0),
    synthetic: Object.keys(synthetic).length,
    examples: refused.slice(0, mostExamples),
  };
  if (!counts.human && !counts.synthetic)
    throw new CorpusError(
      'No product of the file has an instruction: give items_ins_v2.json or items_human_ins.json of the same products.',
    );
  return { brought: { products, human, synthetic, nouns }, counts };
}

const priceText = ([low, high]: readonly [number, number]): string =>
  low === high ? `$${low.toFixed(2)}` : `$${low.toFixed(2)}$${high.toFixed(2)}`;

/** A product in the form of `items_shuffle.json`. */
const productRecord = (product: Product) => ({
  asin: product.asin,
  name: product.title,
  full_description: product.description,
  small_description: product.features,
  pricing: priceText(product.prices),
  customization_options: Object.fromEntries(
    product.options.map(({ name, values }) => [name, values.map(({ value, adds }) => ({ value, adds, image: null }))]),
  ),
  category: product.category,
  query: product.query,
  product_category: product.productCategory,
  images: [''],
  reviews: product.reviews,
});

/** Writes a shop in WebShop's files. */
export function writeShop({ products, human, synthetic, nouns }: BroughtShop): Required<ShopFiles> {
  const attributes = products.map(({ asin, attributes: own }) => {
    const made = entryOf(synthetic, asin);
    return [
      asin,
      { attributes: own, ...(made && { instruction: made.instruction, instruction_attributes: made.attributes }) },
    ];
  });
  const people = Object.entries(human).map(([asin, list]) => [
    asin,
    list.map((each) => ({
      asin,
      instruction: each.instruction,
      instruction_attributes: each.attributes,
      instruction_options: each.options.every((option) => typeof option === 'string')
        ? each.options
        : Object.fromEntries(each.options.map((option) => (typeof option === 'string' ? [option, option] : option))),
    })),
  ]);
  return {
    products: JSON.stringify(products.map(productRecord)),
    attributes: JSON.stringify(Object.fromEntries(attributes)),
    human: JSON.stringify(Object.fromEntries(people)),
    nouns: JSON.stringify(nouns ?? {}),
  };
}
