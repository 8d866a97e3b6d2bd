/** Kinds of products of the made shops, in groups that share attributes, options and categories. */

export interface Kind {
  /** Name in titles and instructions; its nouns are the words of `nouns`. */
  name: string;
  /** Words that find the kind, as a shop's own query. */
  query: string;
  nouns: readonly string[];
  /** Prices in whole dollars, lowest and highest. */
  dollars: readonly [number, number];
  /** Only in shops for evaluations. */
  heldOut?: boolean;
}

export interface Group {
  /** One of WebShop's five categories. */
  category: 'beauty' | 'electronics' | 'fashion' | 'garden' | 'grocery';
  /** Path of categories above the kinds. */
  path: string;
  attributes: readonly string[];
  materials: readonly string[];
  /** Places or people that the products are for. */
  uses: readonly string[];
  /** Names of options in `options.ts`. */
  options: readonly string[];
  kinds: readonly Kind[];
}

const kind = (name: string, query: string, low: number, high: number, heldOut = false): Kind => ({
  name,
  query,
  nouns: name.split(' '),
  dollars: [low, high],
  ...(heldOut && { heldOut }),
});

const list = (text: string): string[] => text.split(', ');

export const groups: readonly Group[] = [
  {
    category: 'fashion',
    path: 'Clothing, Shoes & Jewelry › Clothing › Tops',
    attributes: list(
      'machine wash, hand wash, long sleeve, short sleeve, slim fit, relaxed fit, classic fit, button closure, tumble dry, quick drying, moisture wicking, stretch fabric',
    ),
    materials: list('cotton, linen, wool, fleece, jersey'),
    uses: list('women, men, girls, boys'),
    options: ['color', 'clothing size'],
    kinds: [
      kind('dress shirt', 'dress shirts', 18, 60),
      kind('hoodie', 'hoodies', 20, 70),
      kind('sweater', 'sweaters', 22, 80),
      kind('polo shirt', 'polo shirts', 15, 45),
      kind('jacket', 'jackets', 35, 140),
      kind('cardigan', 'cardigans', 25, 75, true),
    ],
  },
  {
    category: 'fashion',
    path: 'Clothing, Shoes & Jewelry › Shoes › Footwear',
    attributes: list(
      'non slip, memory foam, rubber sole, arch support, steel toe, lace up, open toe, ankle strap, water resistant, soft lining, shock absorbing, ethylene vinyl',
    ),
    materials: list('leather, suede, canvas, mesh, rubber'),
    uses: list('women, men, work, hiking'),
    options: ['color', 'shoe size', 'width'],
    kinds: [
      kind('sneakers', 'sneakers', 25, 110),
      kind('boots', 'boots', 40, 160),
      kind('sandals', 'sandals', 15, 60),
      kind('slippers', 'slippers', 12, 45),
      kind('clogs', 'clogs', 18, 70, true),
    ],
  },
  {
    category: 'beauty',
    path: 'Beauty & Personal Care › Skin Care › Face',
    attributes: list(
      'cruelty free, fragrance free, paraben free, sulfate free, dermatologist tested, long lasting, anti aging, natural ingredients, sensitive skin, dry skin, hyaluronic acid, easy to use',
    ),
    materials: list('aloe, coconut, jojoba, honey, rose'),
    uses: list('face, hands, lips, body'),
    options: ['scent', 'ounces'],
    kinds: [
      kind('face cream', 'face creams', 9, 60),
      kind('body lotion', 'body lotions', 8, 35),
      kind('lip balm', 'lip balms', 4, 18),
      kind('cleanser', 'cleansers', 8, 40),
      kind('serum', 'serums', 12, 80),
      kind('sunscreen', 'sunscreens', 9, 40, true),
    ],
  },
  {
    category: 'beauty',
    path: 'Beauty & Personal Care › Tools & Accessories › Hair',
    attributes: list(
      'heat resistant, travel size, double sided, eco friendly, stainless steel, easy to clean, fine mist, hair growth, damaged hair, high quality, leak proof, light weight',
    ),
    materials: list('bamboo, bristle, silicone, ceramic, satin'),
    uses: list('hair, salon, travel, beard'),
    options: ['color', 'pack'],
    kinds: [
      kind('hair brush', 'hair brushes', 6, 30),
      kind('spray bottle', 'spray bottles', 5, 22),
      kind('hair dryer', 'hair dryers', 25, 130),
      kind('makeup mirror', 'makeup mirrors', 15, 70),
      kind('comb', 'combs', 4, 20, true),
    ],
  },
  {
    category: 'garden',
    path: 'Home & Kitchen › Furniture › Living Room Furniture',
    attributes: list(
      'easy to assemble, solid wood, mid century, space saving, height adjustable, high density, lumbar support, scratch resistant, white finish, storage space, contemporary style, heavy duty',
    ),
    materials: list('oak, pine, walnut, steel, velvet'),
    uses: list('bedroom, office, kitchen, hallway'),
    options: ['color', 'inches', 'style'],
    kinds: [
      kind('coffee table', 'coffee tables', 50, 190),
      kind('desk chair', 'desk chairs', 60, 190),
      kind('bookcase', 'bookcases', 40, 180),
      kind('nightstand', 'nightstands', 35, 150),
      kind('bar stool', 'bar stools', 40, 160),
      kind('ottoman', 'ottomans', 30, 120, true),
    ],
  },
  {
    category: 'garden',
    path: 'Home & Kitchen › Home Décor › Accents',
    attributes: list(
      'machine washable, energy saving, glass shade, ready to hang, super soft, fade resistant, hand painted, dimmable light, exquisite design, easy to install, double sided, water proof',
    ),
    materials: list('cotton, glass, brass, bamboo, polyester'),
    uses: list('bedroom, bathroom, patio, nursery'),
    options: ['color', 'feet'],
    kinds: [
      kind('table lamp', 'table lamps', 18, 90),
      kind('area rug', 'area rugs', 25, 180),
      kind('throw pillow', 'throw pillows', 8, 40),
      kind('window curtain', 'window curtains', 15, 80),
      kind('wall clock', 'wall clocks', 14, 70),
      kind('picture frame', 'picture frames', 8, 45, true),
    ],
  },
  {
    category: 'electronics',
    path: 'Electronics › Accessories & Supplies › Audio & Video Accessories',
    attributes: list(
      'noise cancelling, high speed, gold plated, fast charging, wireless bluetooth, plug and play, high definition, stereo sound, usb port, long battery, carrying case, hands free',
    ),
    materials: list('aluminum, nylon, silicone, plastic, copper'),
    uses: list('tablet, laptop, phone, car'),
    options: ['color', 'cable length', 'capacity'],
    kinds: [
      kind('headphones', 'headphones', 20, 150),
      kind('speaker', 'speakers', 25, 160),
      kind('charging cable', 'charging cables', 6, 30),
      kind('keyboard', 'keyboards', 20, 110),
      kind('phone case', 'phone cases', 8, 40),
      kind('microphone', 'microphones', 25, 140, true),
    ],
  },
  {
    category: 'grocery',
    path: 'Grocery & Gourmet Food › Snacks & Sweets › Pantry',
    attributes: list(
      'gluten free, sugar free, non gmo, low sodium, high protein, dairy free, keto friendly, nut free, usda organic, artificial colors, plant based, ready to eat',
    ),
    materials: list('oat, almond, rice, corn, cocoa'),
    uses: list('breakfast, lunch, kids, picnic'),
    options: ['flavor', 'pack'],
    kinds: [
      kind('granola', 'granola', 5, 28),
      kind('protein bar', 'protein bars', 8, 40),
      kind('cookies', 'cookies', 4, 25),
      kind('popcorn', 'popcorn', 4, 22),
      kind('tea', 'teas', 5, 30),
      kind('crackers', 'crackers', 4, 24, true),
    ],
  },
];

/** Options by name: the name on the page, values, and the largest number of dollars that a value adds. */
export const optionKinds: {
  readonly [name: string]: { readonly label: string; readonly values: readonly string[]; readonly adds: number };
} = {
  color: {
    label: 'color',
    values: list('black, blue, brown, gold, green, grey, navy, orange, pink, purple, red, white, yellow'),
    adds: 0,
  },
  'clothing size': { label: 'size', values: list('x-small, small, medium, large, x-large, xx-large'), adds: 6 },
  'shoe size': { label: 'size', values: list('6, 7, 8, 9, 10, 11, 12'), adds: 4 },
  width: { label: 'width', values: list('narrow, wide, extra wide'), adds: 5 },
  scent: { label: 'scent', values: list('lavender, vanilla, citrus, unscented, peppermint, jasmine'), adds: 0 },
  ounces: { label: 'size', values: list('2 ounce, 4 ounce, 8 ounce, 16 ounce'), adds: 14 },
  pack: { label: 'size', values: list('pack of 1, pack of 2, pack of 3, pack of 6'), adds: 16 },
  inches: { label: 'size', values: list('18 inch, 24 inch, 30 inch, 36 inch'), adds: 30 },
  feet: { label: 'size', values: list('2 feet, 4 feet, 6 feet, 8 feet'), adds: 25 },
  style: { label: 'style', values: list('modern, rustic, classic, farmhouse'), adds: 0 },
  'cable length': { label: 'length', values: list('3 feet, 5 feet, 10 feet'), adds: 8 },
  capacity: { label: 'capacity', values: list('16 gb, 32 gb, 64 gb'), adds: 20 },
  flavor: { label: 'flavor', values: list('chocolate, caramel, lemon, cinnamon, strawberry, original'), adds: 0 },
};

/** Words that count as nouns in the names of made products. */
export const nounWords: ReadonlySet<string> = new Set(
  groups.flatMap(({ materials, uses, kinds }) => [...materials, ...uses, ...kinds.flatMap(({ nouns }) => nouns)]),
);
