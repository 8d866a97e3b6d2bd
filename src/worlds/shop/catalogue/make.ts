/** The products of a made shop, each from the seed and its number alone, so that none needs to be kept. */
import type { OptionValue, Product, ProductOption, Review } from '../../../corpus/shops/product.ts';
import { mixSeeds, Random } from '../../../envs/random.ts';
import { type Group, groups, type Kind, optionKinds } from './groups.ts';

export interface ShopPlan {
  seed: number;
  products: number;
  /** A shop for evaluations: other brands and products, and kinds that no shop of training has. */
  heldOut: boolean;
  heldOutKinds: boolean;
}

export interface KindPlace {
  group: Group;
  kind: Kind;
}

export const kindsOf = ({ heldOut, heldOutKinds }: ShopPlan): KindPlace[] =>
  groups.flatMap((group) =>
    group.kinds.filter((kind) => !kind.heldOut || (heldOut && heldOutKinds)).map((kind) => ({ group, kind })),
  );

const starts = 'Al Bel Cor Dan El Fen Gal Hol Ir Jun Kel Lum Mar Nor Or Pal Quin Ros Sel Tor'.split(' ');
const middles = 'a e i o an en in ar er or'.split(' ');
const ends = 'da lo mi no ra sa ta va xa zo'.split(' ');

/** Brands of held-out shops end in other syllables than those of training. */
function brandOf(random: Random, heldOut: boolean): string {
  const half = ends.length / 2;
  return random.pick(starts) + random.pick(middles) + ends[random.below(half) + (heldOut ? half : 0)];
}

const capitals = (text: string) => text.replace(/(^|[\s-])\p{Ll}/gu, (letter) => letter.toUpperCase());

/** Some different members of a list, in random order. */
const some = <T>(random: Random, list: readonly T[], count: number): T[] => random.shuffle([...list]).slice(0, count);

/** An odd number: multiplication by it modulo 2^32 keeps numbers different. */
const scatter = 2654435761;

/** Id of a product: different for each number of a shop. */
const asinOf = (seed: number, number: number, heldOut: boolean): string => {
  const place = (Math.imul(number, scatter) ^ mixSeeds(seed, 77)) >>> 0;
  return `B0${heldOut ? 'H' : 'T'}${place.toString(36).padStart(7, '0')}`.toUpperCase();
};

/** Endings of prices, in cents. */
const cents = [0, 50, 95, 99];

function optionOf(random: Random, name: string): ProductOption {
  const { label, values, adds } = optionKinds[name];
  const count = random.between(Math.min(2, values.length), Math.min(6, values.length));
  const chosen = new Set(some(random, values, count));
  const priced = adds > 0 && random.chance(60);
  const step = priced ? random.between(1, Math.max(1, Math.floor(adds / count))) : 0;
  const listed: OptionValue[] = values
    .filter((value) => chosen.has(value))
    .map((value, k) => ({ value, adds: k * step }));
  return { name: label, values: listed };
}

const praise = ['Good value', 'Just right', 'Bought it twice', 'Better than expected', 'Does its job'];
const blame = ['Not for me', 'Sent it back', 'Smaller than I thought', 'Broke after a month'];

function reviewsOf(random: Random, attributes: readonly string[], kind: Kind): Review[] {
  return Array.from({ length: random.below(4) }, () => {
    const score = random.between(1, 5);
    const title = random.pick(score > 2 ? praise : blame);
    const body =
      score > 2
        ? `The ${kind.name} is ${random.pick(attributes)}, as promised.`
        : `I had another ${kind.name} in mind.`;
    return { title, score, body };
  });
}

function textsOf(random: Random, { group, kind }: KindPlace, brand: string, attributes: readonly string[]) {
  const [material, use] = [random.pick(group.materials), random.pick(group.uses)];
  const [first, second, ...rest] = attributes;
  const model = `${random.pick([...'ABCDEFGHKLMNPRSTUVWX'])}${random.between(10, 99)}`;
  const title = `${brand} ${capitals(first)} ${capitals(material)} ${capitals(kind.name)} for ${capitals(use)}, ${capitals(second)}, ${model}`;
  const features = [
    `${capitals(first)}: made for ${use}`,
    ...[second, ...rest].map((attribute) => `${capitals(attribute)} ${kind.name}`),
    `Material: ${material}`,
  ];
  const description = `This ${kind.name} by ${brand} is made with ${material}. ${rest.length ? `It is known as ${rest.join(', ')}. ` : ''}A choice for ${use}.`;
  return { title, features, description };
}

export function makeProduct(plan: ShopPlan, kinds: readonly KindPlace[], number: number): Product {
  const random = new Random(mixSeeds(plan.seed, plan.heldOut ? 1 : 0, number));
  const place = kinds[number % kinds.length];
  const { group, kind } = place;
  const brand = brandOf(random, plan.heldOut);
  const attributes = some(random, group.attributes, random.between(2, 4));
  const texts = textsOf(random, place, brand, attributes);
  const options = group.options.map((name) => optionOf(random, name)).slice(0, random.between(1, group.options.length));
  const price = random.between(...kind.dollars) + random.pick(cents) / 100;
  const most = options.reduce((sum, { values }) => sum + Math.max(...values.map(({ adds }) => adds)), 0);
  return {
    asin: asinOf(plan.seed, number, plan.heldOut),
    ...texts,
    query: kind.query,
    category: group.category,
    productCategory: `${group.path} › ${capitals(kind.query)}`,
    attributes,
    options,
    prices: [price, Math.round(100 * (price + most)) / 100],
    reviews: reviewsOf(random, attributes, kind),
  };
}
