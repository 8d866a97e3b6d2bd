/**
 * Data that the shop and its administration share: goods, customers, orders and reviews, made from a seed, and the
 * state that both change.
 */
import { slugOf } from '../html.ts';
import { type Person, people } from '../names.ts';
import { Random } from '../random.ts';

export interface Product {
  slug: string;
  name: string;
  category: string;
  sku: string;
  colour: string;
  material: string;
  brand: string;
  /** Price in cents. */
  price: number;
  stock: number;
  enabled: boolean;
}

interface Category {
  slug: string;
  name: string;
}

export interface Line {
  product: string;
  quantity: number;
  price: number;
}

export const orderStatuses = ['Pending', 'Processing', 'Complete', 'Canceled'] as const;
type OrderStatus = (typeof orderStatuses)[number];

export interface Order {
  id: number;
  customer: string;
  day: number;
  status: OrderStatus;
  shipping: string;
  lines: Line[];
  /** Sum in cents. */
  total: number;
  address: string;
  comments: string[];
}

interface Review {
  id: number;
  product: string;
  nickname: string;
  title: string;
  text: string;
  stars: number;
  status: 'Pending' | 'Approved';
}

interface Store {
  categories: Category[];
  customers: Person[];
  /** The customer who uses this browser. */
  owner: Person;
  password: string;
  adminPassword: string;
  today: number;
}

export interface StoreState {
  products: Product[];
  orders: Order[];
  reviews: Review[];
  cart: { product: string; quantity: number }[];
  wishlist: string[];
  address: string;
  customer: boolean;
  admin: boolean;
  newsletter: boolean;
  messages: { subject: string; text: string }[];
  notice: string;
}

const kinds: readonly (readonly [category: string, nouns: readonly string[]])[] = [
  ['Lamps', ['desk lamp', 'floor lamp', 'lantern', 'night light']],
  ['Kitchen', ['kettle', 'mug', 'tray', 'pan', 'bowl']],
  ['Garden', ['bench', 'watering can', 'planter', 'rake']],
  ['Office', ['chair', 'notebook', 'stapler', 'pen holder']],
  ['Travel', ['backpack', 'suitcase', 'bottle', 'umbrella']],
];
const colours = ['black', 'blue', 'green', 'red', 'white', 'yellow'];
const materials = ['brass', 'bamboo', 'canvas', 'ceramic', 'oak', 'steel'];
const brands = ['Arvo', 'Belmar', 'Corvid', 'Delta', 'Estrel'];
export const shippings = ['Standard', 'Express', 'Pick-up'] as const;
export const shippingCost: { [method: string]: number } = { Standard: 500, Express: 1500, 'Pick-up': 0 };
const opinions: readonly (readonly [title: string, text: string])[] = [
  ['Broke soon', 'It broke after a week.'],
  ['Too small', 'It is smaller than I thought.'],
  ['It is fine', 'Does what it should.'],
  ['Good value', 'Well made for the price.'],
  ['Love it', 'The best I have had so far.'],
];

function makeProducts(random: Random, categories: readonly Category[]): Product[] {
  const taken = new Set<string>();
  const products: Product[] = [];
  for (const [k, [, nouns]] of kinds.entries()) {
    while (products.filter(({ category }) => category === categories[k].slug).length < 8) {
      const material = random.pick(materials);
      const colour = random.pick(colours);
      const name = `${colour[0].toUpperCase()}${colour.slice(1)} ${material} ${random.pick(nouns)}`;
      if (taken.has(name)) continue;
      taken.add(name);
      products.push({
        slug: slugOf(name),
        name,
        category: categories[k].slug,
        sku: `${categories[k].name[0]}${random.between(1000, 9999)}${products.length}`,
        colour,
        material,
        brand: random.pick(brands),
        // All prices differ, so that only one product is the cheapest.
        price: random.between(4, 180) * 100 + products.length + 1,
        stock: random.between(1, 40),
        enabled: true,
      });
    }
  }
  return products;
}

export const totalOf = (lines: readonly Line[], shipping: string) =>
  lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0) + shippingCost[shipping];

function makeOrders(
  random: Random,
  customers: readonly Person[],
  products: readonly Product[],
  today: number,
): Order[] {
  const owners = random.shuffle([
    ...Array(5).fill(0),
    ...Array.from({ length: 11 }, (_, k) => 1 + (k % (customers.length - 1))),
  ]);
  let day = today - 200;
  return owners.map((owner, k) => {
    day += random.between(1, 12);
    const lines = random
      .some(products, random.between(1, 3))
      .map(({ slug, price }) => ({ product: slug, quantity: random.between(1, 3), price }));
    const shipping = random.pick(shippings);
    const customer = customers[owner];
    return {
      id: 1001 + k,
      customer: customer.name,
      day,
      status: k > 11 ? random.pick(['Pending', 'Processing'] as const) : random.pick(orderStatuses),
      shipping,
      lines,
      total: totalOf(lines, shipping),
      address: `${random.between(1, 99)} Mill Street`,
      comments: [],
    };
  });
}

function makeReviews(random: Random, customers: readonly Person[], products: readonly Product[]): Review[] {
  const reviews: Review[] = [];
  for (const product of products) {
    const authors = random.some(customers.slice(1), random.below(4));
    for (const author of authors) {
      const stars = random.between(1, 5);
      const [title, text] = opinions[stars - 1];
      const status = random.below(8) === 0 ? 'Pending' : 'Approved';
      reviews.push({
        id: reviews.length + 1,
        product: product.slug,
        nickname: author.first,
        title,
        text,
        stars,
        status,
      });
    }
  }
  return reviews;
}

const memory = new Map<number, { store: Store; state: StoreState }>();

function build(seed: number): { store: Store; state: StoreState } {
  const random = new Random(seed, 'store');
  const categories = kinds.map(([name]) => ({ name, slug: slugOf(name) }));
  const customers = people(random, 8);
  const products = makeProducts(random, categories);
  const today = 1300;
  const store: Store = {
    categories,
    customers,
    owner: customers[0],
    password: `${random.pick(materials)}${random.between(10, 99)}`,
    adminPassword: `${random.pick(colours)}${random.between(10, 99)}`,
    today,
  };
  const state: StoreState = {
    products,
    orders: makeOrders(random, customers, products, today),
    reviews: makeReviews(random, customers, products),
    cart: [],
    wishlist: [],
    address: `${random.between(1, 99)} Mill Street`,
    customer: true,
    admin: true,
    newsletter: false,
    messages: [],
    notice: '',
  };
  return { store, state };
}

/** Data and initial state of a seed; the most recently created ones are cached. */
function built(seed: number) {
  let found = memory.get(seed);
  if (!found) {
    found = build(seed);
    if (memory.size > 31) memory.delete(memory.keys().next().value!);
    memory.set(seed, found);
  }
  return found;
}

export interface SeededStore extends Store {
  seed: number;
}

export const openStore = (seed: number): SeededStore => ({ ...built(seed).store, seed });
export const startStore = ({ seed }: SeededStore): StoreState => built(seed).state;

export const findProduct = (state: StoreState, slug: string) => state.products.find((product) => product.slug === slug);
export const reviewsOf = (state: StoreState, slug: string) =>
  state.reviews.filter(({ product, status }) => product === slug && status === 'Approved');
/** Mean number of stars with one decimal, or null without reviews. */
export function ratingOf(state: StoreState, slug: string): string | null {
  const stars = reviewsOf(state, slug).map((review) => review.stars);
  if (!stars.length) return null;
  return (stars.reduce((sum, one) => sum + one, 0) / stars.length).toFixed(1);
}
