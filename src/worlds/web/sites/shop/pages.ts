import {
  act,
  type Content,
  check,
  choice,
  el,
  facts,
  field,
  form,
  h2,
  hidden,
  link,
  money,
  p,
  page,
  pageNumber,
  pager,
  query,
  searchForm,
  status,
  submit,
  table,
} from '../html.ts';
import { dateText } from '../names.ts';
import type { SiteAnswer, SiteRequest } from '../site.ts';
import {
  findProduct,
  type Product,
  ratingOf,
  reviewsOf,
  type SeededStore,
  type StoreState,
  shippingCost,
  shippings,
  totalOf,
} from './store.ts';

export type Answer = SiteAnswer<StoreState>;

const pageSize = 6;

/** A notice is shown once, on the page that follows a change. */
export function show(data: SeededStore, state: StoreState, title: string, ...content: Content[]): Answer {
  const count = state.cart.reduce((sum, { quantity }) => sum + quantity, 0);
  const account: [string, string][] = state.customer
    ? [
        ['/wishlist', 'Wish list'],
        ['/orders', 'My orders'],
        ['/account', 'My account'],
      ]
    : [['/login', 'Sign in']];
  const frame = {
    site: 'One Shop',
    nav: [
      ['/', 'Home'],
      ...data.categories.map(({ slug, name }) => [`/category/${slug}`, name] as const),
      ['/cart', `Cart (${count})`],
      ...account,
    ] as [string, string][],
    beside: searchForm('/search', 'Search the shop'),
  };
  const notice = state.notice ? status(state.notice) : null;
  const answer: Answer = { kind: 'page', status: 200, ...page(frame, title, notice, ...content) };
  return state.notice ? { ...answer, state: { ...state, notice: '' } } : answer;
}

export const go = (to: string, state: StoreState): Answer => ({ kind: 'redirect', to, state });
export const toLogin: Answer = { kind: 'redirect', to: '/login' };

export function missing(data: SeededStore, state: StoreState): Answer {
  return { ...show(data, state, 'Page not found', p('There is no such page in this shop.')), status: 404 } as Answer;
}

const orders: { [name: string]: (a: Product, b: Product) => number } = {
  name: (a, b) => (a.name < b.name ? -1 : 1),
  price: (a, b) => a.price - b.price,
  'price-down': (a, b) => b.price - a.price,
};
const orderLinks = [
  ['name', 'Name'],
  ['price', 'Lowest price'],
  ['price-down', 'Highest price'],
] as const;

export function goods(products: readonly Product[], path: string, asked: SiteRequest['query']): Content {
  const order = Object.hasOwn(orders, asked.sort ?? '') ? asked.sort : 'name';
  const { q } = asked;
  const sorted = [...products].sort(orders[order]);
  const last = Math.ceil(sorted.length / pageSize);
  const at = pageNumber(asked.page, last);
  const href = (sort: string, number: number) =>
    `${path}?${query({ ...(q === undefined ? {} : { q }), sort, ...(number > 1 ? { page: number } : {}) })}`;
  return [
    p('Sort by ', ...orderLinks.flatMap(([name, text], k) => [k > 0 && ' ', link(href(name, 1), text)])),
    el(
      'ul',
      { class: 'goods' },
      ...sorted
        .slice((at - 1) * pageSize, at * pageSize)
        .map(({ slug, name, price }) => el('li', {}, link(`/product/${slug}`, name), ` ${money(price)}`)),
    ),
    pager(sorted.length, pageSize, at, (number) => href(order, number)),
  ];
}

export const enabled = (state: StoreState) => state.products.filter((product) => product.enabled);

export function productPage(data: SeededStore, state: StoreState, product: Product): Answer {
  const { slug, name } = product;
  const reviews = reviewsOf(state, slug);
  const rating = ratingOf(state, slug);
  return show(
    data,
    state,
    name,
    facts(
      [
        ['Price', el('span', { class: 'price' }, money(product.price))],
        ['SKU', el('span', { class: 'sku' }, product.sku)],
        ['Brand', product.brand],
        ['Material', product.material],
        ['In stock', `${product.stock} pieces`],
        ['Rating', rating === null ? 'No reviews yet' : `${rating} of 5`],
      ],
      { class: 'facts' },
    ),
    form('post', '/cart/add', ...hidden({ product: slug }), field('Quantity', 'quantity'), submit('Add to cart')),
    state.customer && act('/wishlist/add', 'Add to wish list', { product: slug }),
    state.customer && p(link(`/product/${slug}/review`, 'Write a review')),
    h2(`Reviews (${reviews.length})`),
    ...reviews.map(({ title, stars, nickname, text }) =>
      el('article', {}, el('h3', {}, `${title} (${stars} of 5)`), p(text), p('By ', el('span', {}, nickname))),
    ),
  );
}

export function cartPage(data: SeededStore, state: StoreState): Answer {
  if (!state.cart.length) return show(data, state, 'Cart', p('Your cart is empty.'));
  const rows = state.cart.map(({ product: slug, quantity }) => {
    const product = findProduct(state, slug)!;
    return [
      link(`/product/${slug}`, product.name),
      String(quantity),
      money(product.price * quantity),
      act('/cart/remove', 'Remove', { product: slug }),
    ];
  });
  const sum = state.cart.reduce(
    (total, { product, quantity }) => total + findProduct(state, product)!.price * quantity,
    0,
  );
  return show(
    data,
    state,
    'Cart',
    table('Items', ['Product', 'Quantity', 'Sum', 'Action'], rows),
    p(`Subtotal ${money(sum)}`),
    p(link('/checkout', 'Check out')),
  );
}

/** Whole numbers from 1 to 99; an empty field counts as 1. */
export const quantityOf = (text = '') =>
  text.trim() === '' ? 1 : /^[1-9]\d?$/.test(text.trim()) ? Number(text) : null;

export function addToCart(state: StoreState, slug: string, quantity: number): StoreState {
  const there = state.cart.find(({ product }) => product === slug);
  const cart = there
    ? state.cart.map((line) => (line === there ? { ...line, quantity: line.quantity + quantity } : line))
    : [...state.cart, { product: slug, quantity }];
  return { ...state, cart, notice: `Added ${findProduct(state, slug)!.name} to your cart.` };
}

export function placeOrder(data: SeededStore, state: StoreState, request: SiteRequest): Answer {
  const shipping = request.form.shipping;
  const address = (request.form.address ?? '').trim() || state.address;
  if (!state.cart.length || !(shippings as readonly string[]).includes(shipping))
    return go('/checkout', { ...state, notice: 'Choose how it is shipped.' });
  const lines = state.cart.map(({ product, quantity }) => ({
    product,
    quantity,
    price: findProduct(state, product)!.price,
  }));
  const id = Math.max(...state.orders.map((order) => order.id)) + 1;
  const order = {
    id,
    customer: data.owner.name,
    day: data.today,
    status: 'Pending' as const,
    shipping,
    lines,
    total: totalOf(lines, shipping),
    address,
    comments: [],
  };
  return go(`/orders/${id}`, {
    ...state,
    orders: [...state.orders, order],
    cart: [],
    notice: 'Thank you for your order.',
  });
}

export function orderPage(data: SeededStore, state: StoreState, id: string): Answer {
  const order = state.orders.find((one) => String(one.id) === id && one.customer === data.owner.name);
  if (!order) return missing(data, state);
  return show(
    data,
    state,
    `Order ${order.id}`,
    facts(
      [
        ['Date', dateText(order.day)],
        ['Status', el('span', { class: 'order-status' }, order.status)],
        ['Shipping', order.shipping],
        ['Address', order.address],
        ['Total', el('span', { class: 'total' }, money(order.total))],
      ],
      { class: 'facts' },
    ),
    table(
      'Items',
      ['Product', 'Quantity', 'Price'],
      order.lines.map(({ product, quantity, price }) => [
        link(`/product/${product}`, findProduct(state, product)!.name),
        String(quantity),
        money(price),
      ]),
    ),
    act(`/orders/${order.id}/again`, 'Order again'),
    order.status === 'Pending' && act(`/orders/${order.id}/cancel`, 'Cancel order'),
  );
}

export function changeOrder(data: SeededStore, state: StoreState, id: string, status: 'Canceled'): Answer {
  const orders = state.orders.map((order) =>
    String(order.id) === id && order.customer === data.owner.name && order.status === 'Pending'
      ? { ...order, status }
      : order,
  );
  return go(`/orders/${id}`, { ...state, orders, notice: 'Your order was canceled.' });
}

export function orderAgain(data: SeededStore, state: StoreState, id: string): Answer {
  const order = state.orders.find((one) => String(one.id) === id && one.customer === data.owner.name);
  if (!order) return missing(data, state);
  const filled = order.lines.reduce((next, { product, quantity }) => addToCart(next, product, quantity), state);
  return go('/cart', { ...filled, notice: 'The items are in your cart.' });
}

export function ordersPage(data: SeededStore, state: StoreState): Answer {
  const own = state.orders.filter(({ customer }) => customer === data.owner.name).reverse();
  const rows = own.map(({ id, day, total, status: now }) => [
    link(`/orders/${id}`, id),
    dateText(day),
    money(total),
    now,
  ]);
  return show(data, state, 'My orders', table('Orders', ['Order', 'Date', 'Total', 'Status'], rows));
}

export function addReview(data: SeededStore, state: StoreState, slug: string, sent: SiteRequest['form']): Answer {
  const { stars = '', title = '', text = '', nickname = '' } = sent;
  if (!/^[1-5]$/.test(stars) || !title.trim())
    return go(`/product/${slug}/review`, { ...state, notice: 'A review needs stars and a title.' });
  const id = Math.max(0, ...state.reviews.map((review) => review.id)) + 1;
  const review = {
    id,
    product: slug,
    nickname: nickname.trim() || data.owner.first,
    title: title.trim(),
    text: text.trim(),
    stars: Number(stars),
    status: 'Approved' as const,
  };
  return go(`/product/${slug}`, {
    ...state,
    reviews: [...state.reviews, review],
    notice: 'Thank you for your review.',
  });
}

export function accountPage(data: SeededStore, state: StoreState): Answer {
  return show(
    data,
    state,
    'My account',
    facts(
      [
        ['Name', data.owner.name],
        ['Mail', data.owner.mail],
        ['Address', el('span', { class: 'address' }, state.address)],
        ['Newsletter', el('span', { class: 'newsletter' }, state.newsletter ? 'Yes' : 'No')],
      ],
      { class: 'facts' },
    ),
    form(
      'post',
      '/account',
      field('New address', 'address'),
      check('Newsletter', 'newsletter', state.newsletter),
      submit('Save'),
    ),
    act('/logout', 'Sign out'),
  );
}

export const loginPage = (data: SeededStore, state: StoreState): Answer =>
  show(
    data,
    state,
    'Sign in',
    form(
      'post',
      '/login',
      field('Mail', 'mail'),
      field('Password', 'password', { type: 'password' }),
      submit('Sign in'),
    ),
  );

export function checkoutPage(data: SeededStore, state: StoreState): Answer {
  if (!state.cart.length) return { kind: 'redirect', to: '/cart' };
  return show(
    data,
    state,
    'Check out',
    p(`Your address: ${state.address}`),
    form(
      'post',
      '/checkout',
      field('Other address', 'address'),
      choice(
        'Shipping',
        'shipping',
        shippings.map((name) => [name, `${name} ${money(shippingCost[name])}`] as const),
      ),
      submit('Place order'),
    ),
  );
}
