// A person's own shop: reading WebShop's files, refusals, numbers of its instructions, playing it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readShop, type ShopFiles } from '../../../src/corpus/shops/webshop-files.ts';
import { openWorld } from '../../../src/worlds/registry.ts';
import { goalsOf } from '../../../src/worlds/shop/own/goals.ts';
import { PythonRandom } from '../../../src/worlds/shop/own/python-random.ts';

const product = (place: number) => ({
  asin: `B00000000${place}`,
  name: `Velo Lamp ${place}`,
  full_description: 'A lamp.',
  small_description: ['Energy Saving'],
  pricing: ['$12.50', '$20.00$35.00', '', '$995'][place % 4],
  customization_options: {
    Color: [{ value: ' Red/Blue ' }, { value: 'green' }],
    Size: place % 2 ? [{ value: '4 feet' }] : null,
  },
  category: 'garden',
  query: ' Table Lamps ',
  product_category: 'Home › Lamps',
  images: [''],
});
const records = [0, 1, 2, 3].map(product);
const files = (change: Partial<ShopFiles> = {}): ShopFiles => ({
  products: JSON.stringify(records),
  attributes: JSON.stringify({
    B000000000: {
      attributes: ['energy saving'],
      instruction: 'Find me lamps',
      instruction_attributes: ['energy saving'],
    },
    B000000001: {
      attributes: ['energy saving'],
      instruction: 'Find me a lamp',
      instruction_attributes: ['energy saving'],
    },
  }),
  human: JSON.stringify({
    B000000001: [
      { instruction: 'i want a lamp.', instruction_attributes: ['energy saving'], instruction_options: ['green'] },
    ],
    B000000002: [{ instruction: 'a lamp', instruction_attributes: [], instruction_options: [] }],
    B000000003: [{ instruction: 'a dear lamp', instruction_attributes: ['energy saving'], instruction_options: {} }],
  }),
  ...change,
});

describe('WebShop’s files', () => {
  it('are read by upstream’s rules', () => {
    const { brought: shop, counts } = readShop(files());
    expect(counts).toEqual({ products: 4, refused: 0, human: 3, synthetic: 2, examples: [] });
    expect(shop.products[0]).toMatchObject({
      query: 'table lamps',
      prices: [12.5, 12.5],
      options: [
        {
          name: 'color',
          values: [
            { value: 'red | blue', adds: 0 },
            { value: 'green', adds: 0 },
          ],
        },
      ],
    });
    expect(shop.products.map(({ prices }) => prices[0])).toEqual([12.5, 20, 100, 995]);
    expect(shop.products[3].attributes).toEqual(['DUMMY_ATTR']);
  });

  it('may have a product whose id is the name of a method', () => {
    const { counts } = readShop(files({ products: JSON.stringify([...records, { ...records[0], asin: 'toString' }]) }));
    expect(counts).toMatchObject({ products: 5, human: 3 });
  });

  it('leave out products that a page could not show, with the reason', () => {
    const odd = [
      { ...records[0], asin: 'B0000000000' },
      { ...records[0], pricing: 'free' },
      { asin: 'B1' },
      records[0],
    ];
    const { counts } = readShop(files({ products: JSON.stringify([records[0], ...odd]) }));
    expect(counts).toMatchObject({ products: 1, refused: 4 });
    expect(counts.examples).toEqual([
      expect.stringMatching(/product 1: .*more than 10 characters/),
      expect.stringMatching(/product 2: .*price is "free"/),
      expect.stringMatching(/product 3: .*name/),
    ]);
  });

  it.each<[Partial<ShopFiles>, RegExp]>([
    [{ products: '{' }, /file of products is not JSON/],
    [{ products: '{}' }, /file of products is not WebShop's/],
    [{ products: '[]' }, /has no products/],
    [{ human: '{"B000000001": 1}' }, /file of instructions is not WebShop's: B000000001/],
    [{ human: '{}', attributes: '{}' }, /No product of the file has an instruction/],
    [{ products: `[${'1,'.repeat(100_000)}1]` }, /100001 products, and 100000 is the most/],
  ])('are refused by name (%#)', (change, reason) => {
    expect(() => readShop(files(change))).toThrow(reason);
  });
});

describe('numbers of instructions', () => {
  it('use Python’s generator', () => {
    // python3 -c "import random; random.seed(233); l = list(range(10)); random.shuffle(l); print(l, random.sample([10, 20, 30, 40], 2))"
    const random = new PythonRandom(233);
    expect(random.shuffle([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])).toEqual([5, 9, 0, 1, 4, 7, 6, 3, 8, 2]);
    expect(random.pair([10, 20, 30, 40])).toEqual([30, 10]);
  });

  it('are one for each instruction, or as on AgentGym’s server one for each price limit', () => {
    const { brought: shop } = readShop(files());
    const limits = (order: 'princeton' | 'agentgym') =>
      goalsOf(shop, { goals: 'human', order, seed: 1 })
        .map(({ asin, priceUpper }) => `${asin.at(-1)} ${priceUpper}`)
        .sort();
    expect(limits('princeton')).toHaveLength(2);
    // The price 995 has no limit above it.
    expect(limits('agentgym').filter((each) => each.startsWith('3'))).toEqual(
      Array.from({ length: 4 }, () => '3 1000000'),
    );
    expect(new Set(limits('agentgym').filter((each) => each.startsWith('1'))).size).toBe(4);
    const made = goalsOf(shop, { goals: 'synthetic', order: 'agentgym', seed: 1 });
    expect(made.map(({ instruction }) => instruction.replace(/, and price.*/, '')).sort()).toEqual([
      'Find me a lamp with color: green, and size: 4 feet',
      'Find me a lamp with color: red | blue, and size: 4 feet',
      'Find me lamps with color: green',
      'Find me lamps with color: red | blue',
    ]);
  });
});

describe('an own shop', () => {
  let folder: string;
  const before = process.env.TABGYM_CORPORA;
  beforeAll(async () => {
    folder = mkdtempSync(`${tmpdir()}/tabgym-shop-test-`);
    process.env.TABGYM_CORPORA = folder;
    const { FolderShops } = await import('../../../src/corpus/shops/folder.ts');
    const store = new FolderShops();
    await store.keep('mine', readShop(files()).brought);
    expect(await store.list()).toEqual([{ name: 'mine', products: 4, instructions: 5 }]);
  });
  afterAll(() => {
    if (before === undefined) delete process.env.TABGYM_CORPORA;
    else process.env.TABGYM_CORPORA = before;
    rmSync(folder, { recursive: true });
  });

  it('is played to its end by the oracle', async () => {
    const world = await openWorld('shop');
    for (const goals of ['human', 'synthetic']) {
      const options = { shop: 'mine', goals, upstream: true };
      const tasks = [...(await world.tasks(options, 'train')), ...(await world.tasks(options, 'test'))];
      for (const task of tasks) {
        await world.reset([0], [task]);
        const [plan] = await world.oracle([0]);
        let reward = 0;
        for (const action of plan!) reward = (await world.step([0], [action]))[0].reward;
        expect([task.id, reward]).toEqual([task.id, 1]);
      }
    }
    await expect(world.reset([0], [{ world: 'shop', id: 99, options: { shop: 'mine' }, strata: {} }])).rejects.toThrow(
      /has no instruction 99: it has 2/,
    );
  });
});
