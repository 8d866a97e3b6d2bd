/** Tasks in the shop. */
import { money } from '../sites/html.ts';
import { dateText } from '../sites/names.ts';
import { findProduct, type Product, ratingOf, reviewsOf, type StoreState, shippings } from '../sites/shop/store.ts';
import { type Here, home, inShop, pick, productOf } from './store.ts';
import { answerIs, endsAt, notPossible, type PlanStep, shows, type Template } from './template.ts';

/** Steps to a product through its category, whose list is sorted by name with six products per page. */
function toProduct(state: StoreState, product: Product): PlanStep[] {
  const names = state.products
    .filter(({ category, enabled }) => enabled && category === product.category)
    .map(({ name }) => name)
    .sort();
  const onSecond = names.indexOf(product.name) >= 6;
  return [
    { visit: `/category/${product.category}` },
    ...(onSecond ? [{ visit: `/category/${product.category}?sort=name&page=2` }] : []),
    { visit: `/product/${product.slug}` },
  ];
}

const ownOrders = ({ store, state }: Here) => state.orders.filter(({ customer }) => customer === store.owner.name);

export const shopTemplates: readonly Template[] = [
  inShop('open-category', 'short', ({ store, random }) => {
    const { slug, name } = random.pick(store.categories);
    return {
      intent: `Open the category ${name}.`,
      gaps: { name },
      evaluation: endsAt(`${home}category/${slug}`),
      plan: [{ visit: `/category/${slug}` }, { stop: '' }],
    };
  }),
  inShop('open-page', 'short', ({ random }) => {
    const [path, name] = random.pick([
      ['cart', 'cart'],
      ['wishlist', 'wish list'],
      ['orders', 'list of orders'],
      ['account', 'account'],
    ] as const);
    return {
      intent: `Go to my ${name}.`,
      gaps: { name },
      evaluation: endsAt(home + path),
      plan: [{ visit: `/${path}` }, { stop: '' }],
    };
  }),
  inShop('search', 'short', (all) => {
    const word = productOf(all).name.split(' ').at(-1)!;
    return {
      intent: `Search the shop for "${word}".`,
      gaps: { word },
      evaluation: endsAt(`${home}search?q=${word}`),
      plan: [{ submit: '/search', fields: { q: word } }, { stop: '' }],
    };
  }),
  inShop('sorted', 'medium', ({ store, random }) => {
    const { slug, name } = random.pick(store.categories);
    const [order, words] = random.pick([
      ['price', 'from the lowest price up'],
      ['price-down', 'from the highest price down'],
    ] as const);
    return {
      intent: `Show the category ${name} sorted by price, ${words}.`,
      gaps: { name, words },
      evaluation: endsAt(`${home}category/${slug}?sort=${order}`),
      plan: [{ visit: `/category/${slug}` }, { visit: `/category/${slug}?sort=${order}` }, { stop: '' }],
    };
  }),
  inShop('price-of', 'medium', (all) => {
    const product = productOf(all);
    return {
      intent: `What does the ${product.name} cost?`,
      gaps: { product: product.name },
      evaluation: answerIs(money(product.price)),
      plan: [
        { submit: '/search', fields: { q: product.name } },
        { visit: `/product/${product.slug}` },
        { stop: money(product.price) },
      ],
    };
  }),
  inShop('sku-of', 'medium', (all) => {
    const product = productOf(all);
    return {
      intent: `Tell me the SKU of the ${product.name}.`,
      gaps: { product: product.name },
      evaluation: answerIs(product.sku),
      plan: [...toProduct(all.state, product), { stop: product.sku }],
    };
  }),
  inShop('cheapest', 'medium', ({ store, state, random }) => {
    const { slug, name } = random.pick(store.categories);
    const [cheapest] = state.products.filter(({ category }) => category === slug).sort((a, b) => a.price - b.price);
    return {
      intent: `Which product of the category ${name} has the lowest price?`,
      gaps: { name },
      evaluation: answerIs(cheapest.name),
      plan: [{ visit: `/category/${slug}` }, { visit: `/category/${slug}?sort=price` }, { stop: cheapest.name }],
    };
  }),
  inShop('rating-of', 'medium', ({ state, random }) => {
    const product = pick(
      random,
      state.products.filter(({ slug }) => ratingOf(state, slug) !== null),
    );
    if (!product) return null;
    const rating = `${ratingOf(state, product.slug)} of 5`;
    return {
      intent: `What is the rating of the ${product.name}? Answer as the page writes it.`,
      gaps: { product: product.name },
      evaluation: answerIs(rating),
      plan: [...toProduct(state, product), { stop: rating }],
    };
  }),
  inShop('worst-review', 'medium', ({ state, random }) => {
    const product = pick(
      random,
      state.products.filter(({ slug }) => reviewsOf(state, slug).filter(({ stars }) => stars === 1).length === 1),
    );
    if (!product) return null;
    const { nickname } = reviewsOf(state, product.slug).find(({ stars }) => stars === 1)!;
    return {
      intent: `Who gave the ${product.name} 1 of 5? Give the nickname.`,
      gaps: { product: product.name },
      evaluation: answerIs(nickname),
      plan: [...toProduct(state, product), { stop: nickname }],
    };
  }),
  inShop('add-to-cart', 'medium', (all) => {
    const product = productOf(all);
    return {
      intent: `Put one ${product.name} into my cart.`,
      gaps: { product: product.name },
      evaluation: shows({ url: `${home}cart`, at: 'tbody', text: [product.name, `${money(product.price)}`] }),
      plan: [...toProduct(all.state, product), { submit: '/cart/add' }, { stop: '' }],
    };
  }),
  inShop('add-several', 'medium', ({ state, random }) => {
    const product = pick(
      random,
      state.products.filter(({ stock }) => stock >= 5),
    );
    if (!product) return null;
    const count = random.between(2, 5);
    return {
      intent: `Put ${count} of the ${product.name} into my cart.`,
      gaps: { product: product.name, count },
      evaluation: shows({ url: `${home}cart`, at: 'tbody', text: [product.name, money(product.price * count)] }),
      plan: [...toProduct(state, product), { submit: '/cart/add', fields: { quantity: String(count) } }, { stop: '' }],
    };
  }),
  inShop('wish-list', 'medium', (all) => {
    const product = productOf(all);
    return {
      intent: `Add the ${product.name} to my wish list.`,
      gaps: { product: product.name },
      evaluation: shows({ url: `${home}wishlist`, at: 'main', text: [product.name] }),
      plan: [...toProduct(all.state, product), { submit: '/wishlist/add' }, { stop: '' }],
    };
  }),
  inShop('order', 'long', (all) => {
    const product = productOf(all);
    const shipping = all.random.pick(shippings);
    const id = Math.max(...all.state.orders.map((order) => order.id)) + 1;
    return {
      intent: `Order one ${product.name} with ${shipping} shipping.`,
      gaps: { product: product.name, shipping },
      evaluation: shows({ url: `${home}orders/${id}`, at: 'main', text: [product.name, shipping, 'Pending'] }),
      plan: [
        ...toProduct(all.state, product),
        { submit: '/cart/add' },
        { visit: '/checkout' },
        { submit: '/checkout', fields: { shipping } },
        { stop: '' },
      ],
    };
  }),
  inShop('order-status', 'medium', (all) => {
    const order = all.random.pick(ownOrders(all));
    return {
      intent: `What is the status of my order ${order.id}?`,
      gaps: { order: order.id },
      evaluation: answerIs(order.status),
      plan: [{ visit: '/orders' }, { stop: order.status }],
    };
  }),
  inShop('order-total', 'medium', (all) => {
    const order = all.random.pick(ownOrders(all));
    return {
      intent: `How much was my order of ${dateText(order.day)}?`,
      gaps: { date: dateText(order.day) },
      evaluation: answerIs(money(order.total)),
      plan: [{ visit: '/orders' }, { stop: money(order.total) }],
    };
  }),
  inShop(
    'cancel',
    'medium',
    (all) => {
      const order = pick(
        all.random,
        ownOrders(all).filter(({ status }) => status === 'Pending'),
      );
      if (!order) return null;
      return {
        intent: `Cancel my order ${order.id}.`,
        gaps: { order: order.id },
        evaluation: shows({ url: `${home}orders/${order.id}`, at: '.order-status', text: 'Canceled' }),
        plan: [
          { visit: '/orders' },
          { visit: `/orders/${order.id}` },
          { submit: `/orders/${order.id}/cancel` },
          { stop: '' },
        ],
      };
    },
    { heldOut: true },
  ),
  inShop(
    'order-again',
    'long',
    (all) => {
      const order = all.random.pick(ownOrders(all));
      const names = order.lines.map(({ product }) => findProduct(all.state, product)!.name);
      return {
        intent: `Put everything of my order ${order.id} into the cart once more.`,
        gaps: { order: order.id },
        evaluation: shows({ url: `${home}cart`, at: 'tbody', text: names }),
        plan: [
          { visit: '/orders' },
          { visit: `/orders/${order.id}` },
          { submit: `/orders/${order.id}/again` },
          { stop: '' },
        ],
      };
    },
    { heldOut: true },
  ),
  inShop('review', 'long', (all) => {
    const product = productOf(all);
    const stars = all.random.between(1, 5);
    const title = all.random.pick(['Sturdy', 'Pretty', 'Loud', 'Heavy']);
    return {
      intent: `Review the ${product.name} with ${stars} of 5 stars and the title "${title}".`,
      gaps: { product: product.name, stars, title },
      evaluation: shows({ url: `${home}product/${product.slug}`, at: 'main', text: [`${title} (${stars} of 5)`] }),
      plan: [
        ...toProduct(all.state, product),
        { visit: `/product/${product.slug}/review` },
        { submit: `/product/${product.slug}/review`, fields: { stars: String(stars), title } },
        { stop: '' },
      ],
    };
  }),
  inShop('address', 'medium', ({ random }) => {
    const address = `${random.between(1, 99)} ${random.pick(['Hill Road', 'Sea Lane', 'Oak Walk'])}`;
    return {
      intent: `Change the address of my account to "${address}".`,
      gaps: { address },
      evaluation: shows({ url: `${home}account`, at: '.address', text: address }),
      plan: [{ visit: '/account' }, { submit: '/account', fields: { address } }, { stop: '' }],
    };
  }),
  inShop('newsletter', 'medium', () => ({
    intent: 'Subscribe me to the newsletter.',
    gaps: {},
    evaluation: shows({ url: `${home}account`, at: '.newsletter', text: 'Yes' }),
    plan: [{ visit: '/account' }, { submit: '/account', fields: { newsletter: true } }, { stop: '' }],
  })),
  inShop(
    'sign-in',
    'medium',
    ({ store, state }) => ({
      intent: `Sign in with the mail ${store.owner.mail} and the password "${store.password}".`,
      gaps: { mail: store.owner.mail, password: store.password },
      state: { store: { ...state, customer: false } as never },
      evaluation: endsAt(`${home}account`),
      plan: [
        { visit: '/login' },
        { submit: '/login', fields: { mail: store.owner.mail, password: store.password } },
        { stop: '' },
      ],
    }),
    { heldOut: true },
  ),
  inShop(
    'no-such-product',
    'medium',
    ({ random }) => {
      const name = random.pick(['Purple glass piano', 'Silver paper boat', 'Pink silk tent', 'Golden wool drum']);
      return {
        intent: `Put one ${name} into my cart. If the shop does not sell it, answer N/A.`,
        gaps: { name },
        evaluation: notPossible,
        plan: [{ submit: '/search', fields: { q: name } }, { stop: 'N/A' }],
      };
    },
    { feasible: false },
  ),
];
