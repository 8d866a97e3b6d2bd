/** Instructions of made tasks: a wish in words, from templates of which some are for evaluations alone. */

/** The parts of a wish, as they appear in its instruction. */
export interface Wording {
  /** Name of the kind of product. */
  kind: string;
  attributes: readonly string[];
  /** Name and value of each option. */
  options: readonly (readonly [string, string])[];
  /** Highest price in dollars, or null if there is none. */
  price: number | null;
}

export interface InstructionTemplate {
  name: string;
  heldOut?: boolean;
  write(wording: Wording): string;
}

const and = (list: readonly string[]): string =>
  list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`;

const named = (options: Wording['options'], write: (name: string, value: string) => string, before: string): string =>
  options.length ? `${before}${and(options.map(([name, value]) => write(name, value)))}` : '';

const below = (price: number | null, before: string, after = ' dollars'): string =>
  price === null ? '' : `${before}${price.toFixed(2)}${after}`;

export const instructionTemplates: readonly InstructionTemplate[] = [
  {
    name: 'find-me',
    write: ({ kind, attributes, options, price }) =>
      `Find me ${attributes.join(', ')} ${kind}${named(options, (name, value) => `${name}: ${value}`, ' with ')}${below(price, ', and price lower than ')}`,
  },
  {
    name: 'looking-for',
    write: ({ kind, attributes, options, price }) =>
      `I am looking for ${attributes.join(', ')} ${kind}${named(options, (name, value) => `${value} ${name}`, ' in ')}${below(price, ', and price lower than ')}`,
  },
  {
    name: 'need',
    write: ({ kind, attributes, options, price }) =>
      `I need ${kind} with these qualities: ${and(attributes)}${named(options, (name, value) => `${name} ${value}`, '; of ')}${below(price, ', for less than ')}`,
  },
  {
    name: 'buy',
    write: ({ kind, attributes, options, price }) =>
      `Buy ${kind}, ${and(attributes)}${named(options, (name, value) => `the ${name} ${value}`, ', in ')}${below(price, ', below ')}`,
  },
  {
    name: 'want',
    write: ({ kind, attributes, options, price }) =>
      `I want some ${attributes.join(', ')} ${kind}${below(price, ' priced under ')}${named(options, (name, value) => `${name} should be ${value}`, '; the ')}`,
  },
  {
    name: 'present',
    heldOut: true,
    write: ({ kind, attributes, options, price }) =>
      `As a present, please get ${kind}${below(price, ' for at most ')}; what counts is ${and(attributes)}${named(options, (name, value) => `${value} as its ${name}`, ', with ')}`,
  },
  {
    name: 'replace',
    heldOut: true,
    write: ({ kind, attributes, options, price }) =>
      `My last order was a mistake. Now order ${and(attributes)} ${kind}${named(options, (name, value) => `${name} = ${value}`, ' with ')}${below(price, ' and spend less than ')}`,
  },
];
