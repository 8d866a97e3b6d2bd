/** Data of the table family: a sheet of products, and a second sheet beside it. */
import { distinct, drawPairs } from '../draws.ts';
import type { Draw } from '../family.ts';
import type { Value } from './formula.ts';
import type { Sheet } from './sheet.ts';

export const words = {
  first: ['Oak', 'Blue', 'Steel', 'Small', 'Round', 'Soft', 'Paper', 'Glass', 'Long', 'Green', 'Heavy', 'Folding'],
  last: [
    'Lamp',
    'Chair',
    'Kettle',
    'Basket',
    'Mirror',
    'Clock',
    'Blanket',
    'Bottle',
    'Ladder',
    'Shelf',
    'Bucket',
    'Brush',
  ],
  categories: ['Kitchen', 'Office', 'Garden', 'Bath'],
  notes: ['sold out', 'check again', 'new supplier', 'on offer'],
} as const;

export const headers = ['Product', 'Category', 'Price', 'Quantity', 'Rating'] as const;
/** Columns of the products' sheet, from 0. */
export const columns = { product: 0, category: 1, price: 2, quantity: 3, rating: 4 } as const;

export interface Product {
  name: string;
  category: string;
  price: number;
  quantity: number;
  rating: number;
  /** Note of its quantity; empty for most. */
  note: string;
}

export interface TableData {
  products: Product[];
  sheets: Sheet[];
}

const sheetOf = (name: string, cells: Value[][]): Sheet => ({
  ...{ name, cells, notes: {}, merged: [] },
  frozen: { rows: 1, columns: 0 },
});

/** Draws products. Prices, quantities and ratings are different from each other; two products share a category. */
export function drawTable(draw: Draw): TableData {
  const { random, options } = draw;
  const count = Number(options.rows);
  const [prices, quantities, ratings] = [
    distinct(4, 199, count, random),
    distinct(11, 99, count, random),
    distinct(10, 50, count, random),
  ];
  const shared = random.pick(words.categories);
  const products = drawPairs(words.first, words.last, count, draw).map((name, k) => ({
    name,
    category: k < 2 ? shared : random.pick(words.categories),
    price: prices[k] / 2,
    quantity: quantities[k],
    rating: ratings[k] / 10,
    note: random.chance(40) ? random.pick(words.notes) : '',
  }));
  random.shuffle(products);
  const rows = products.map(({ name, category, price, quantity, rating }) => [name, category, price, quantity, rating]);
  const sheet = sheetOf('Sheet1', [[...headers], ...rows]);
  for (const [k, { note }] of products.entries()) if (note) sheet.notes[`D${k + 2}`] = note;
  const other = sheetOf('Sheet2', [['Category'], ...words.categories.map((each) => [each])]);
  return { products, sheets: [sheet, other] };
}

/** A name of the split that no product has. */
export const drawAbsent = (draw: Draw, { products }: TableData): string =>
  drawPairs(words.first, words.last, words.first.length * words.last.length, draw).find(
    (name) => !products.some((each) => each.name === name),
  )!;
