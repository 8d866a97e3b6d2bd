/** The shop's administration: orders, products, customers, reviews, reports. It changes the same state as the shop. */
import type { Json } from '../../../../envs/env.ts';
import {
  act,
  type Content,
  choice,
  el,
  facts,
  field,
  form,
  h2,
  link,
  list,
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
import { dateText, monthNames } from '../names.ts';
import {
  findProduct,
  type Order,
  openStore,
  orderStatuses,
  type SeededStore,
  type StoreState,
  startStore,
} from '../shop/store.ts';
import { type Route, route, type Site, type SiteAnswer, type SiteRequest } from '../site.ts';

type Answer = SiteAnswer<StoreState>;
type AdminRoute = Route<SeededStore, StoreState>;
const pageSize = 8;

function show(state: StoreState, title: string, ...content: Content[]): Answer {
  const nav: [string, string][] = state.admin
    ? [
        ['/', 'Dashboard'],
        ['/orders', 'Orders'],
        ['/products', 'Products'],
        ['/customers', 'Customers'],
        ['/reviews', 'Reviews'],
        ['/reports', 'Reports'],
      ]
    : [];
  const notice = state.notice ? status(state.notice) : null;
  const answer: Answer = {
    kind: 'page',
    status: 200,
    ...page({ site: 'One Shop Admin', nav }, title, notice, ...content),
  };
  return state.notice ? { ...answer, state: { ...state, notice: '' } } : answer;
}

const go = (to: string, state: StoreState): Answer => ({ kind: 'redirect', to, state });
const missing = (state: StoreState): Answer =>
  ({ ...show(state, 'Page not found', p('There is no such page here.')), status: 404 }) as Answer;

const orderRow = ({ id, customer, day, total, status: now }: Order): Content[] => [
  link(`/orders/${id}`, id),
  customer,
  dateText(day),
  money(total),
  now,
];
const orderHeads = ['Order', 'Customer', 'Date', 'Total', 'Status'];

/** Products by number sold, highest first. Canceled orders are not counted. */
export function bestsellers(state: StoreState): { slug: string; name: string; sold: number }[] {
  const sold = new Map<string, number>();
  for (const order of state.orders)
    if (order.status !== 'Canceled')
      for (const { product, quantity } of order.lines) sold.set(product, (sold.get(product) ?? 0) + quantity);
  return [...sold]
    .map(([slug, count]) => ({ slug, name: findProduct(state, slug)!.name, sold: count }))
    .sort((a, b) => b.sold - a.sold || (a.name < b.name ? -1 : 1));
}

/** Number and sum of orders for each month that has any; months count from January 2030. */
export function salesByMonth(state: StoreState): { month: string; count: number; sum: number }[] {
  const months = new Map<number, { count: number; sum: number }>();
  for (const { day, total } of state.orders) {
    const key = Math.floor(day / 30);
    const { count, sum } = months.get(key) ?? { count: 0, sum: 0 };
    months.set(key, { count: count + 1, sum: sum + total });
  }
  return [...months]
    .sort(([a], [b]) => a - b)
    .map(([key, found]) => ({ month: `${monthNames[key % 12]} ${2030 + Math.floor(key / 12)}`, ...found }));
}

function dashboard(state: StoreState): Answer {
  return show(
    state,
    'Dashboard',
    p(`Orders: ${state.orders.length}`),
    table(
      'Bestsellers',
      ['Product', 'Sold'],
      bestsellers(state)
        .slice(0, 5)
        .map(({ slug, name, sold }) => [link(`/products/${slug}`, name), String(sold)]),
    ),
    table('Last orders', orderHeads, [...state.orders].reverse().slice(0, 5).map(orderRow)),
  );
}

function ordersPage(state: StoreState, asked: SiteRequest['query']): Answer {
  const wanted = orderStatuses.find((name) => name === asked.status);
  const customer = (asked.q ?? '').trim().toLowerCase();
  const hits = state.orders
    .filter((order) => (!wanted || order.status === wanted) && order.customer.toLowerCase().includes(customer))
    .reverse();
  const kept = { ...(asked.q === undefined ? {} : { q: asked.q }), ...(wanted ? { status: wanted } : {}) };
  const at = pageNumber(asked.page, Math.ceil(hits.length / pageSize));
  return show(
    state,
    'Orders',
    searchForm('/orders', 'Customer', asked.q ?? ''),
    p(
      'Show ',
      link('/orders', 'All'),
      ...orderStatuses.flatMap((name) => [' ', link(`/orders?${query({ status: name })}`, name)]),
    ),
    hits.length
      ? table(
          wanted ? `${wanted} orders` : 'All orders',
          orderHeads,
          hits.slice((at - 1) * pageSize, at * pageSize).map(orderRow),
        )
      : p('There is no such order.'),
    pager(hits.length, pageSize, at, (number) => `/orders?${query({ ...kept, page: number })}`),
  );
}

function orderPage(state: StoreState, id: string): Answer {
  const order = state.orders.find((one) => String(one.id) === id);
  if (!order) return missing(state);
  return show(
    state,
    `Order ${order.id}`,
    facts(
      [
        ['Customer', order.customer],
        ['Date', dateText(order.day)],
        ['Status', el('span', { class: 'order-status' }, order.status)],
        ['Shipping', order.shipping],
        ['Address', el('span', { class: 'address' }, order.address)],
        ['Total', el('span', { class: 'total' }, money(order.total))],
      ],
      { class: 'facts' },
    ),
    table(
      'Items',
      ['Product', 'Quantity', 'Price'],
      order.lines.map(({ product, quantity, price }) => [
        findProduct(state, product)!.name,
        String(quantity),
        money(price),
      ]),
    ),
    order.comments.length > 0 && h2('Comments'),
    list(order.comments.map((text) => el('span', { class: 'comment' }, text))),
    form(
      'post',
      `/orders/${id}/status`,
      choice(
        'New status',
        'status',
        orderStatuses.map((name) => [name, name] as const),
      ),
      submit('Set status'),
    ),
    form('post', `/orders/${id}/comment`, field('Comment', 'comment'), submit('Add comment')),
    form('post', `/orders/${id}/address`, field('New address', 'address'), submit('Change address')),
  );
}

function withOrder(state: StoreState, id: string, change: (order: Order) => Order, notice: string): Answer {
  if (!state.orders.some((order) => String(order.id) === id)) return missing(state);
  const orders = state.orders.map((order) => (String(order.id) === id ? change(order) : order));
  return go(`/orders/${id}`, { ...state, orders, notice });
}

function productsPage(state: StoreState, asked: SiteRequest['query']): Answer {
  const words = (asked.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const hits = state.products.filter(({ name, sku }) =>
    words.every((word) => `${name} ${sku}`.toLowerCase().includes(word)),
  );
  const at = pageNumber(asked.page, Math.ceil(hits.length / pageSize));
  const kept: { [name: string]: string } = asked.q === undefined ? {} : { q: asked.q };
  const rows = hits
    .slice((at - 1) * pageSize, at * pageSize)
    .map(({ slug, name, sku, price, stock }) => [link(`/products/${slug}`, name), sku, money(price), String(stock)]);
  return show(
    state,
    'Products',
    searchForm('/products', 'Product', asked.q ?? ''),
    rows.length ? table('Products', ['Name', 'SKU', 'Price', 'Stock'], rows) : p('There is no such product.'),
    pager(hits.length, pageSize, at, (number) => `/products?${query({ ...kept, page: number })}`),
  );
}

function productPage(state: StoreState, slug: string): Answer {
  const product = findProduct(state, slug);
  if (!product) return missing(state);
  return show(
    state,
    product.name,
    facts(
      [
        ['SKU', product.sku],
        ['Price', el('span', { class: 'price' }, money(product.price))],
        ['Stock', el('span', { class: 'stock' }, `${product.stock} pieces`)],
        ['Shown', el('span', { class: 'shown' }, product.enabled ? 'Yes' : 'No')],
      ],
      { class: 'facts' },
    ),
    form('post', `/products/${slug}`, field('New price', 'price'), field('New stock', 'stock'), submit('Save')),
    act(`/products/${slug}/shown`, product.enabled ? 'Hide in the shop' : 'Show in the shop'),
  );
}

function saveProduct(state: StoreState, slug: string, { price = '', stock = '' }: SiteRequest['form']): Answer {
  if (!findProduct(state, slug)) return missing(state);
  const cents = /^\$?(\d{1,5})(?:\.(\d{2}))?$/.exec(price.trim());
  const count = /^\d{1,5}$/.exec(stock.trim());
  if ((price.trim() && !cents) || (stock.trim() && !count))
    return go(`/products/${slug}`, { ...state, notice: 'A price is a number like 12.50, a stock a whole number.' });
  const products = state.products.map((product) =>
    product.slug === slug
      ? {
          ...product,
          price: cents ? Number(cents[1]) * 100 + Number(cents[2] ?? 0) : product.price,
          stock: count ? Number(count[0]) : product.stock,
        }
      : product,
  );
  return go(`/products/${slug}`, { ...state, products, notice: 'The product was saved.' });
}

function toggleShown(state: StoreState, slug: string): Answer {
  const products = state.products.map((product) =>
    product.slug === slug ? { ...product, enabled: !product.enabled } : product,
  );
  return go(`/products/${slug}`, { ...state, products, notice: 'The product was saved.' });
}

function reviewsPage(state: StoreState): Answer {
  const pending = state.reviews.filter((review) => review.status === 'Pending');
  const rows = pending.map(({ id, product, nickname, stars, title }) => [
    link(`/reviews/${id}`, title),
    findProduct(state, product)!.name,
    nickname,
    String(stars),
  ]);
  return show(
    state,
    'Reviews',
    rows.length
      ? table('Pending reviews', ['Title', 'Product', 'Nickname', 'Stars'], rows)
      : p('No review is pending.'),
  );
}

function reviewPage(state: StoreState, id: string): Answer {
  const review = state.reviews.find((one) => String(one.id) === id);
  if (!review) return missing(state);
  return show(
    state,
    `Review ${id}`,
    facts([
      ['Product', findProduct(state, review.product)!.name],
      ['Nickname', review.nickname],
      ['Stars', String(review.stars)],
      ['Title', review.title],
      ['Text', review.text],
      ['Status', el('span', { class: 'review-status' }, review.status)],
    ]),
    review.status === 'Pending' && act(`/reviews/${id}/approve`, 'Approve'),
    act(`/reviews/${id}/delete`, 'Delete'),
  );
}

const customersPage = (data: SeededStore, state: StoreState): Answer =>
  show(
    state,
    'Customers',
    table(
      'Customers',
      ['Name', 'Mail', 'Orders', 'Spent'],
      data.customers.map(({ name, mail }) => {
        const own = state.orders.filter(({ customer }) => customer === name);
        const spent = own.reduce((sum, { total }) => sum + total, 0);
        return [link(`/orders?${query({ q: name })}`, name), mail, String(own.length), money(spent)];
      }),
    ),
  );

const loginPage = (state: StoreState): Answer =>
  show(
    state,
    'Sign in',
    form(
      'post',
      '/login',
      field('User', 'user'),
      field('Password', 'password', { type: 'password' }),
      submit('Sign in'),
    ),
  );

const routes: readonly AdminRoute[] = [
  { method: 'GET', pattern: '/', answer: ({ state }) => dashboard(state) },
  { method: 'GET', pattern: '/orders', answer: ({ state, request }) => ordersPage(state, request.query) },
  { method: 'GET', pattern: '/orders/:id', answer: ({ state, params }) => orderPage(state, params.id) },
  {
    method: 'POST',
    pattern: '/orders/:id/status',
    answer: ({ state, params, request }) => {
      const wanted = orderStatuses.find((name) => name === request.form.status);
      if (!wanted) return go(`/orders/${params.id}`, { ...state, notice: 'Choose a status.' });
      return withOrder(state, params.id, (order) => ({ ...order, status: wanted }), `The order is ${wanted}.`);
    },
  },
  {
    method: 'POST',
    pattern: '/orders/:id/comment',
    answer: ({ state, params, request }) => {
      const text = (request.form.comment ?? '').trim();
      if (!text) return go(`/orders/${params.id}`, { ...state, notice: 'The comment is empty.' });
      return withOrder(
        state,
        params.id,
        (order) => ({ ...order, comments: [...order.comments, text] }),
        'The comment was added.',
      );
    },
  },
  {
    method: 'POST',
    pattern: '/orders/:id/address',
    answer: ({ state, params, request }) => {
      const address = (request.form.address ?? '').trim();
      if (!address) return go(`/orders/${params.id}`, { ...state, notice: 'The address is empty.' });
      return withOrder(state, params.id, (order) => ({ ...order, address }), 'The address was changed.');
    },
  },
  { method: 'GET', pattern: '/products', answer: ({ state, request }) => productsPage(state, request.query) },
  { method: 'GET', pattern: '/products/:slug', answer: ({ state, params }) => productPage(state, params.slug) },
  {
    method: 'POST',
    pattern: '/products/:slug',
    answer: ({ state, params, request }) => saveProduct(state, params.slug, request.form),
  },
  { method: 'POST', pattern: '/products/:slug/shown', answer: ({ state, params }) => toggleShown(state, params.slug) },
  { method: 'GET', pattern: '/customers', answer: ({ data, state }) => customersPage(data, state) },
  { method: 'GET', pattern: '/reviews', answer: ({ state }) => reviewsPage(state) },
  { method: 'GET', pattern: '/reviews/:id', answer: ({ state, params }) => reviewPage(state, params.id) },
  {
    method: 'POST',
    pattern: '/reviews/:id/approve',
    answer: ({ state, params }) => {
      const reviews = state.reviews.map((review) =>
        String(review.id) === params.id ? { ...review, status: 'Approved' as const } : review,
      );
      return go('/reviews', { ...state, reviews, notice: 'The review was approved.' });
    },
  },
  {
    method: 'POST',
    pattern: '/reviews/:id/delete',
    answer: ({ state, params }) => {
      const reviews = state.reviews.filter((review) => String(review.id) !== params.id);
      return go('/reviews', { ...state, reviews, notice: 'The review was deleted.' });
    },
  },
  {
    method: 'GET',
    pattern: '/reports',
    answer: ({ state }) =>
      show(
        state,
        'Reports',
        table(
          'Sales by month',
          ['Month', 'Orders', 'Sales'],
          salesByMonth(state).map(({ month, count, sum }) => [month, String(count), money(sum)]),
        ),
      ),
  },
];

function handle(data: SeededStore, state: StoreState, request: SiteRequest): Answer {
  if (request.path === '/login') {
    if (request.method === 'GET') return loginPage(state);
    const right = request.form.user?.trim() === 'admin' && request.form.password === data.adminPassword;
    return right
      ? go('/', { ...state, admin: true, notice: 'Welcome, admin.' })
      : go('/login', { ...state, notice: 'Wrong user or password.' });
  }
  if (!state.admin) return { kind: 'redirect', to: '/login' };
  return route(routes, data, state, request, () => missing(state));
}

export const shopAdmin: Site<SeededStore, StoreState & Json> = {
  name: 'shop_admin',
  host: 'admin.test',
  title: 'One Shop Admin',
  backend: 'store',
  open: openStore,
  start: (data) => startStore(data) as StoreState & Json,
  handle: handle as never,
};
