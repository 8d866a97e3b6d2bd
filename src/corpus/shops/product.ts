/** A product of a shop, made or brought, in the form that pages, search and judge read. */

/** A value of an option, with the amount that it adds to the price, in dollars. */
export interface OptionValue {
  value: string;
  adds: number;
}

export interface ProductOption {
  name: string;
  values: readonly OptionValue[];
}

export interface Review {
  title: string;
  /** Stars, from 1 to 5. */
  score: number;
  body: string;
}

export interface Product {
  /** Id of up to ten letters and digits, in upper case. */
  asin: string;
  title: string;
  /** Words that find products of its kind, in lower case. */
  query: string;
  category: string;
  /** Path of categories, joined by ` › `. */
  productCategory: string;
  description: string;
  features: readonly string[];
  /** Attributes that the judge compares; the pages show them only within their texts. */
  attributes: readonly string[];
  options: readonly ProductOption[];
  /** Lowest and highest price in dollars; equal for a single price. */
  prices: readonly [number, number];
  reviews: readonly Review[];
}

/** Text that the search compares besides the title: as WebShop's index, description, first feature and options. */
export function searchedText({ description, features, options }: Product): string {
  const listed = options.map(({ name, values }) => `${name}: ${values.map(({ value }) => value).join(', ')}`);
  return [description, features[0] ?? '', listed.join(', and ')].join(' ').toLowerCase();
}

/** Chosen values by the name of their option, in the order of choice. */
export type Chosen = ReadonlyMap<string, string>;

/** Price of a product with these options: its lowest price and what they add. */
export function priceWith({ prices, options }: Product, chosen: Chosen): number {
  const cents = options.reduce(
    (sum, { name, values }) => {
      const found = values.find(({ value }) => value === chosen.get(name));
      return sum + Math.round(100 * (found?.adds ?? 0));
    },
    Math.round(100 * prices[0]),
  );
  return cents / 100;
}

/** Python's text of a number. */
export const pythonNumber = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value));
