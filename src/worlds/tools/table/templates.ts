/** Templates of the table family: changes of a sheet of products, and questions about it. */
import type { Json } from '../../../envs/env.ts';
import { type Draw, doneAnswer, impossible, type TaskKind, type Template } from '../family.ts';
import { ask, callOf } from '../questions.ts';
import type { Call } from '../tool.ts';
import { columns, drawAbsent, drawTable, headers, type Product, type TableData, words } from './data.ts';
import { addressOf, type Value } from './formula.ts';
import { TableInstance } from './instance.ts';
import { TableOriginal } from './original.ts';

/** A sheet in which a product and another one are chosen. */
interface Scene {
  draw: Draw;
  data: TableData;
  product: Product;
  other: Product;
  /** Row of the last product, as a sheet numbers it. */
  last: number;
}

interface Plot {
  goal: string;
  answer?: Json;
  plan?: readonly Call[];
  values?: readonly Value[];
  rows?: readonly (readonly Value[])[];
  notes?: readonly string[];
  reads?: readonly Call[];
}

type Column = keyof typeof columns;

const look = [callOf('open_sheet', { name: 'Sheet1' }), callOf('get_all_values')];
const open = look.slice(0, 1);
const rowOf = (product: Product, { data }: Scene) => data.products.indexOf(product) + 1;
const cell = (product: Product, column: Column, scene: Scene) => addressOf(rowOf(product, scene), columns[column]);
const set = (position: string, value: Value) => callOf('update_cell', { position, value });
const sort = (column: Column, order: 'asc' | 'des') =>
  callOf('sort_sheet_by_col', { col_num: columns[column] + 1, order });
/** Deletes the rows of some products, from the last one up. */
const removal = (products: readonly Product[], scene: Scene) =>
  products
    .map((each) => rowOf(each, scene) + 1)
    .sort((a, b) => b - a)
    .map((index) => callOf('delete_batch_data', { dimension: 'row', index_list: [index] }));
const below = (operator: string, column: Column, { last }: Scene) => {
  const [start_position, end_position] = [addressOf(1, columns[column]), addressOf(last - 1, columns[column])];
  return callOf('update_cell_by_formula', {
    ...{ operator, result_position: addressOf(last, columns[column]), start_position, end_position },
  });
};
const reading = (operator: string, column: Column, { last }: Scene) =>
  callOf('get_value_by_formula', {
    ...{ operator, start_position: addressOf(1, columns[column]), end_position: addressOf(last - 1, columns[column]) },
  });
const most = (products: readonly Product[], of: (each: Product) => number) =>
  products.reduce((a, b) => (of(b) > of(a) ? b : a));
const newRow = ({ draw, data }: Scene): Value[] => [
  ...[drawAbsent(draw, data), draw.random.pick(words.categories), draw.random.between(4, 199) / 2],
  ...[draw.random.between(11, 99), draw.random.between(10, 50) / 10],
];

function sceneOf(draw: Draw): Scene {
  const data = drawTable(draw);
  const [product, other] = draw.random.shuffle([...data.products]);
  return { draw, data, product, other, last: data.products.length + 1 };
}

const template = (name: string, kind: TaskKind, plot: (scene: Scene) => Plot, heldOut = false): Template => ({
  name,
  kind,
  heldOut,
  make(draw) {
    const scene = sceneOf(draw);
    const {
      goal,
      answer = kind === 'impossible' ? impossible : doneAnswer,
      plan = [],
      reads = look,
      ...given
    } = plot(scene);
    const shown = { values: [], rows: [], notes: [], ...given };
    const instance = new TableInstance({ sheets: scene.data.sheets, goal, answer, reads, plan, ...shown });
    instance.originalOf = () => new TableOriginal(instance);
    return instance;
  },
});

const cellChanges: readonly Template[] = [
  template('set-price', 'change', (scene) => {
    const price = scene.draw.random.between(200, 300) / 2;
    return {
      goal: `In Sheet1, set the price of ${scene.product.name} to ${price}.`,
      plan: [set(cell(scene.product, 'price', scene), price)],
      values: [price],
    };
  }),
  template('set-category', 'change', (scene) => {
    const category = scene.draw.random.pick(words.categories.filter((each) => each !== scene.product.category));
    return {
      goal: `In Sheet1, move ${scene.product.name} to the category ${category}.`,
      plan: [set(cell(scene.product, 'category', scene), category)],
      values: [category],
    };
  }),
  template('sell', 'change', (scene) => {
    const sold = scene.draw.random.between(2, 10);
    return {
      goal: `${sold} pieces of ${scene.product.name} were sold. Reduce its quantity in Sheet1.`,
      plan: [set(cell(scene.product, 'quantity', scene), scene.product.quantity - sold)],
      values: [sold],
    };
  }),
  template('restock', 'change', (scene) => {
    const [first, second] = [scene.draw.random.between(2, 40), scene.draw.random.between(41, 80)];
    return {
      goal: `${first} more pieces of ${scene.product.name} and ${second} more of ${scene.other.name} have arrived. Update the quantities in Sheet1.`,
      plan: [
        set(cell(scene.product, 'quantity', scene), scene.product.quantity + first),
        set(cell(scene.other, 'quantity', scene), scene.other.quantity + second),
      ],
      values: [first, second],
    };
  }),
  template('swap-prices', 'change', (scene) => {
    const { product, other } = scene;
    return {
      goal: `In Sheet1, the price of ${product.name} should be ${other.price} and that of ${other.name} ${product.price}. Correct both.`,
      plan: [set(cell(product, 'price', scene), other.price), set(cell(other, 'price', scene), product.price)],
      values: [other.price, product.price],
    };
  }),
  template('rename-column', 'change', ({ draw }) => {
    const header = draw.random.pick(['Cost', 'Amount', 'Sum']);
    return {
      goal: `In Sheet1, rename the column Price to ${header}.`,
      plan: [set(addressOf(0, columns.price), header)],
      values: [header],
    };
  }),
  template('note', 'change', (scene) => {
    const text = scene.draw.random.pick(words.notes.filter((each) => each !== scene.product.note));
    return {
      goal: `In Sheet1, write the note "${text}" on the cell with the quantity of ${scene.product.name}.`,
      plan: [callOf('update_note', { position: cell(scene.product, 'quantity', scene), content: text })],
      notes: [text],
    };
  }),
  template(
    'set-rating',
    'change',
    (scene) => {
      const rating = scene.draw.random.between(51, 99) / 10;
      return {
        goal: `In Sheet1, give ${scene.product.name} the rating ${rating}.`,
        plan: [set(cell(scene.product, 'rating', scene), rating)],
        values: [rating],
      };
    },
    true,
  ),
];

const rowChanges: readonly Template[] = [
  template('remove-product', 'change', (scene) => ({
    goal: `Delete the row of ${scene.product.name} in Sheet1.`,
    plan: removal([scene.product], scene),
  })),
  template('remove-category', 'change', (scene) => {
    const gone = scene.data.products.filter(({ category }) => category === scene.product.category);
    return {
      goal: `Delete the rows of all products of the category ${scene.product.category} in Sheet1.`,
      plan: removal(gone.length === scene.data.products.length ? [] : gone, scene),
    };
  }),
  template('remove-cheap', 'change', (scene) => {
    const gone = [...scene.data.products].sort((a, b) => a.price - b.price).slice(0, 2);
    const bound = gone[1].price + 0.5;
    return {
      goal: `Delete the rows of the products with a price below ${bound} in Sheet1.`,
      plan: removal(gone, scene),
    };
  }),
  template('add-last', 'change', (scene) => {
    const row = newRow(scene);
    return {
      goal: `Add the row ${JSON.stringify(row)} below the last row of Sheet1.`,
      plan: [callOf('insert_rows', { values_list: [row], row_idx: scene.last + 1 })],
      rows: [row],
    };
  }),
  template('add-first', 'change', (scene) => {
    const row = newRow(scene);
    return {
      goal: `Insert the row ${JSON.stringify(row)} right below the headers of Sheet1.`,
      plan: [callOf('insert_rows', { values_list: [row], row_idx: 2 })],
      rows: [row],
    };
  }),
  template('sort-price', 'change', () => ({
    goal: 'Sort Sheet1 by price, the lowest first.',
    plan: [sort('price', 'asc')],
  })),
  template('sort-quantity', 'change', () => ({
    goal: 'Sort Sheet1 by quantity, the largest first.',
    plan: [sort('quantity', 'des')],
  })),
  template('sort-and-remove', 'change', ({ last }) => ({
    goal: 'Sort Sheet1 by rating, the best first, and then delete the last row.',
    plan: [sort('rating', 'des'), callOf('delete_batch_data', { dimension: 'row', index_list: [last] })],
  })),
  template('remove-column', 'change', () => ({
    goal: 'Delete the column Rating of Sheet1.',
    plan: [callOf('delete_batch_data', { dimension: 'col', index_list: [columns.rating + 1] })],
  })),
  template(
    'replace',
    'change',
    (scene) => {
      const row = newRow(scene);
      return {
        goal: `In Sheet1, delete the row of ${scene.product.name} and add the row ${JSON.stringify(row)} below the last row.`,
        plan: [...removal([scene.product], scene), callOf('insert_rows', { values_list: [row], row_idx: scene.last })],
        rows: [row],
      };
    },
    true,
  ),
];

const formulaChanges: readonly Template[] = [
  template('sum-below', 'change', (scene) => ({
    goal: `In Sheet1, put the sum of the quantities right below them, as a formula in D${scene.last + 1}.`,
    plan: [below('SUM', 'quantity', scene)],
  })),
  template('average-below', 'change', (scene) => ({
    goal: `In Sheet1, put the average of the prices right below them, as a formula in C${scene.last + 1}.`,
    plan: [below('AVERAGE', 'price', scene)],
  })),
  template('sort-and-sum', 'change', (scene) => ({
    goal: `Sort Sheet1 by price, the highest first. Then put the sum of the quantities right below them, as a formula in D${scene.last + 1}.`,
    plan: [sort('price', 'des'), below('SUM', 'quantity', scene)],
  })),
  template('value-column', 'change', (scene) => ({
    goal: 'In Sheet1, add a column F with the header Value that holds for each product its price times its quantity, as a formula.',
    plan: [
      set('F1', 'Value'),
      ...scene.data.products.map((_, k) =>
        callOf('update_cell_by_formula', {
          ...{
            operator: 'PRODUCT',
            result_position: `F${k + 2}`,
            start_position: `C${k + 2}`,
            end_position: `D${k + 2}`,
          },
        }),
      ),
    ],
    values: ['Value'],
  })),
  template(
    'best-below',
    'change',
    (scene) => ({
      goal: `In Sheet1, put the largest rating right below the ratings, as a formula in E${scene.last + 1}.`,
      plan: [below('MAX', 'rating', scene)],
    }),
    true,
  ),
];

const layout: readonly Template[] = [
  template('freeze', 'change', () => ({
    goal: 'Freeze the first column of Sheet1.',
    plan: [callOf('freeze_data', { dimension: 'columns', num: 1 })],
  })),
  template('merge', 'change', () => ({
    goal: `In Sheet1, merge the headers ${headers[0]} and ${headers[1]}.`,
    plan: [callOf('merge_cells', { start_position: 'A1', end_position: 'B1' })],
  })),
  template('delete-sheet', 'change', () => ({
    goal: 'Delete Sheet2 and keep Sheet1.',
    plan: [callOf('del_sheet', { name: 'Sheet2' })],
    reads: open,
  })),
];

const questions: readonly Template[] = [
  template('price-of', 'question', ({ product }) => ({
    goal: `Which price has ${product.name} in Sheet1? ${ask.number}`,
    answer: product.price,
  })),
  template('sum-of', 'question', (scene) => ({
    goal: `What is the sum of the quantities in Sheet1? ${ask.number}`,
    answer: scene.data.products.reduce((sum, { quantity }) => sum + quantity, 0),
    reads: [...look, reading('SUM', 'quantity', scene)],
  })),
  template('dearest', 'question', ({ data }) => ({
    goal: `Which product in Sheet1 has the highest price? ${ask.name}`,
    answer: most(data.products, ({ price }) => price).name,
  })),
  template('count-category', 'question', ({ data, product }) => ({
    goal: `How many products in Sheet1 are of the category ${product.category}? ${ask.number}`,
    answer: data.products.filter(({ category }) => category === product.category).length,
  })),
  template('note-of', 'question', (scene) => ({
    goal: `Which note has the quantity of ${scene.product.name} in Sheet1? Answer with the note, or None.`,
    answer: scene.product.note || 'None',
    reads: [...look, callOf('get_note', { position: cell(scene.product, 'quantity', scene) })],
  })),
  template('remove-then-count', 'both', (scene) => ({
    goal: `Delete the row of ${scene.product.name} in Sheet1. How many products are left? ${ask.number}`,
    answer: scene.data.products.length - 1,
    plan: removal([scene.product], scene),
  })),
  template(
    'best-rated',
    'question',
    ({ data }) => ({
      goal: `Which product in Sheet1 has the best rating? ${ask.name}`,
      answer: most(data.products, ({ rating }) => rating).name,
    }),
    true,
  ),
];

const impossibles: readonly Template[] = [
  template('missing-product', 'impossible', ({ draw, data }) => ({
    goal: `In Sheet1, set the price of ${drawAbsent(draw, data)} to 9.`,
    values: [9],
  })),
  template('chart', 'impossible', () => ({ goal: 'Draw a chart of the prices in Sheet1.', reads: open })),
  template('missing-sheet', 'impossible', () => ({
    goal: 'Leave Sheet1 as it is and sort Sheet9 by price, the lowest first.',
    reads: open,
  })),
  template(
    'colour',
    'impossible',
    ({ product }) => ({ goal: `In Sheet1, give the row of ${product.name} a red background.`, reads: open }),
    true,
  ),
];

/** All templates; a task's id contains its place in this list. */
export const tableTemplates: readonly Template[] = [
  ...[cellChanges, rowChanges, formulaChanges, layout, questions, impossibles].flat(),
];
