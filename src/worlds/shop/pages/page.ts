/**
 * Pages of the shop as lists of texts, with the roles that both of WebShop's text forms and its list of buttons read
 * (`web_agent_site`, github.com/princeton-nlp/WebShop, MIT).
 */
import { type Chosen, type Product, priceWith, pythonNumber } from '../../../corpus/shops/product.ts';

/** A text of a page. `option`: a value of the option `name`. `link`: the id of a product. */
export interface Piece {
  text: string;
  role: 'text' | 'button' | 'option' | 'link';
  name?: string;
}

export const subPages = ['description', 'features', 'reviews'] as const;
export type SubPage = (typeof subPages)[number];

/** White space that an HTML parser reduces to one character if a text has nothing else. */
const onlySpace = /^[ \t\n\r\f]*$/;

/** A text as a page has it; empty for a text that a page leaves out. */
function textsOf(...texts: readonly string[]): Piece[] {
  return texts.flatMap((text) => {
    if (!onlySpace.test(text)) return [{ text, role: 'text' as const }];
    return text && !text.includes('\n') ? [{ text: ' ', role: 'text' as const }] : [];
  });
}

const button = (text: string): Piece => ({ text, role: 'button' });
const head = (instruction: string): Piece[] => [...textsOf('Instruction:', instruction), button('Back to Search')];
const previous = button('< Prev');

export const searchPage = (instruction: string): Piece[] => [
  ...textsOf('WebShop', 'Instruction: ', instruction),
  button('Search'),
];

/** A price, or the lowest and the highest one, as WebShop prints them. */
export const priceTag = ([low, high]: readonly [number, number]): string =>
  low === high ? `$${pythonNumber(low)}` : `$${pythonNumber(low)} to $${pythonNumber(high)}`;

export function resultsPage(instruction: string, products: readonly Product[], page: number, total: number): Piece[] {
  const listed = products.flatMap((product): Piece[] => [
    { text: product.asin, role: 'link' },
    ...textsOf(product.title, priceTag(product.prices)),
  ]);
  return [
    ...head(instruction),
    ...textsOf(`Page ${page} (Total results: ${total})`),
    ...(page > 1 ? [previous] : []),
    button('Next >'),
    ...listed,
  ];
}

const ratingOf = ({ reviews }: Product): string => {
  if (!reviews.length) return 'N.A.';
  return pythonNumber(Math.round((10 * reviews.reduce((sum, { score }) => sum + score, 0)) / reviews.length) / 10);
};

/** Price on the page of a product: the tag, or the price of the chosen options once every priced option is chosen. */
function shownPrice(product: Product, chosen: Chosen, fixedTag: boolean): string {
  const open = product.options.some(
    ({ name, values }) => !chosen.has(name) && values.some(({ adds }) => adds !== values[0].adds),
  );
  if (fixedTag || open || !product.options.some(({ values }) => values.some(({ adds }) => adds)))
    return priceTag(product.prices);
  const price = priceWith(product, chosen);
  return priceTag([price, price]);
}

export function itemPage(instruction: string, product: Product, chosen: Chosen, fixedTag: boolean): Piece[] {
  const options = product.options.flatMap(({ name, values }): Piece[] => [
    ...textsOf(name),
    ...values.filter(({ value }) => value).map(({ value }) => ({ text: value, role: 'option' as const, name })),
  ]);
  return [
    ...head(instruction),
    previous,
    ...options,
    ...textsOf(product.title, `Price: ${shownPrice(product, chosen, fixedTag)}`, `Rating: ${ratingOf(product)}`),
    ...['Description', 'Features', 'Reviews', 'Buy Now'].map(button),
  ];
}

const contents: { readonly [sub in SubPage]: (product: Product) => Piece[] } = {
  description: ({ description }) => textsOf(description),
  features: ({ features }) => textsOf(...features.map((feature) => ` ${feature}`)),
  reviews: ({ reviews }) => reviews.flatMap(({ title, score, body }) => textsOf(`"${title}"`, String(score), body)),
};

export const subPage = (instruction: string, product: Product, sub: SubPage): Piece[] => [
  ...head(instruction),
  previous,
  ...contents[sub](product),
];

/** Text of options as Flask's `tojson` writes it: sorted by name, in ASCII, safe within HTML. */
const optionsJson = (chosen: Chosen): string => {
  const pairs = [...chosen]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${asciiJson(name)}: ${asciiJson(value)}`);
  return `{${pairs.join(', ')}}`.replace(/[<>&']/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
};

/** A text as Python's `json.dumps` writes it. */
export const asciiJson = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const donePage = (asin: string, chosen: Chosen, reward: number): Piece[] =>
  textsOf(
    ...['Thank you for shopping with us!', 'Your code: ', 'None', ' (Paste it in your MTurk interface.)'],
    ...[
      'Purchased',
      'asin',
      asin,
      'options',
      optionsJson(chosen),
      'attrs',
      'None',
      'category',
      'None',
      'query',
      'None',
    ],
    ...['product category', 'None', 'Target', 'asin', 'options', 'attrs', 'price upper', 'instuction text', 'category'],
    ...['product category', 'query', 'Goal ', 'None', 'Reward'],
    ...['Your score (min 0.0, max 1.0)', pythonNumber(reward), 'Reward Details ', 'None'],
  );
