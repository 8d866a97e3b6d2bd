/**
 * The shop: goods by category, search, sorting, cart, orders, reviews, wish list, account. Its pages are in pages.ts.
 */
import type { Json } from '../../../../envs/env.ts';
import { act, alert, area, choice, field, form, h2, link, list, money, p, submit } from '../html.ts';
import { type Route, route, type Site, type SiteRequest } from '../site.ts';
import {
  type Answer,
  accountPage,
  addReview,
  addToCart,
  cartPage,
  changeOrder,
  checkoutPage,
  enabled,
  go,
  goods,
  loginPage,
  missing,
  orderAgain,
  orderPage,
  ordersPage,
  placeOrder,
  productPage,
  quantityOf,
  show,
  toLogin,
} from './pages.ts';
import { findProduct, openStore, type SeededStore, type StoreState, startStore } from './store.ts';

type ShopRoute = Route<SeededStore, StoreState>;

const customerRoutes: readonly ShopRoute[] = [
  { method: 'GET', pattern: '/checkout', answer: ({ data, state }) => checkoutPage(data, state) },
  { method: 'POST', pattern: '/checkout', answer: ({ data, state, request }) => placeOrder(data, state, request) },
  { method: 'GET', pattern: '/orders', answer: ({ data, state }) => ordersPage(data, state) },
  { method: 'GET', pattern: '/orders/:id', answer: ({ data, state, params }) => orderPage(data, state, params.id) },
  {
    method: 'POST',
    pattern: '/orders/:id/again',
    answer: ({ data, state, params }) => orderAgain(data, state, params.id),
  },
  {
    method: 'POST',
    pattern: '/orders/:id/cancel',
    answer: ({ data, state, params }) => changeOrder(data, state, params.id, 'Canceled'),
  },
  { method: 'GET', pattern: '/account', answer: ({ data, state }) => accountPage(data, state) },
  {
    method: 'POST',
    pattern: '/account',
    answer: ({ state, request: { form: sent } }) =>
      go('/account', {
        ...state,
        address: (sent.address ?? '').trim() || state.address,
        newsletter: sent.newsletter === 'yes',
        notice: 'Saved.',
      }),
  },
  {
    method: 'GET',
    pattern: '/wishlist',
    answer: ({ data, state }) =>
      show(
        data,
        state,
        'Wish list',
        state.wishlist.length
          ? list(
              state.wishlist.map((slug) => [
                link(`/product/${slug}`, findProduct(state, slug)!.name),
                ' ',
                act('/wishlist/remove', 'Remove', { product: slug }),
              ]),
            )
          : p('Your wish list is empty.'),
      ),
  },
  {
    method: 'POST',
    pattern: '/wishlist/add',
    answer: ({ state, request: { form: sent } }) => {
      const { product = '' } = sent;
      if (!findProduct(state, product)) return go('/wishlist', state);
      const wishlist = [...state.wishlist.filter((slug) => slug !== product), product];
      return go('/wishlist', { ...state, wishlist, notice: 'Added to your wish list.' });
    },
  },
  {
    method: 'POST',
    pattern: '/wishlist/remove',
    answer: ({ state, request: { form: sent } }) =>
      go('/wishlist', { ...state, wishlist: state.wishlist.filter((slug) => slug !== sent.product) }),
  },
  {
    method: 'GET',
    pattern: '/product/:slug/review',
    answer: ({ data, state, params: { slug } }) => {
      const product = findProduct(state, slug);
      if (!product) return missing(data, state);
      return show(
        data,
        state,
        `Review ${product.name}`,
        form(
          'post',
          `/product/${slug}/review`,
          choice(
            'Stars',
            'stars',
            ['1', '2', '3', '4', '5'].map((n) => [n, n === '1' ? '1 star' : `${n} stars`] as const),
          ),
          field('Nickname', 'nickname'),
          field('Title', 'title'),
          area('Review', 'text'),
          submit('Submit review'),
        ),
      );
    },
  },
  {
    method: 'POST',
    pattern: '/product/:slug/review',
    answer: ({ data, state, params: { slug }, request }) =>
      findProduct(state, slug) ? addReview(data, state, slug, request.form) : missing(data, state),
  },
];

const openRoutes: readonly ShopRoute[] = [
  {
    method: 'GET',
    pattern: '/',
    answer: ({ data, state }) =>
      show(
        data,
        state,
        'One Shop',
        p('Welcome to One Shop.'),
        h2('New'),
        list(
          enabled(state)
            .slice(-4)
            .map(({ slug, name, price }) => [link(`/product/${slug}`, name), ` ${money(price)}`]),
        ),
        p(link('/contact', 'Contact us')),
      ),
  },
  {
    method: 'GET',
    pattern: '/category/:slug',
    answer: ({ data, state, request, params: { slug } }) => {
      const category = data.categories.find((one) => one.slug === slug);
      if (!category) return missing(data, state);
      const products = enabled(state).filter((product) => product.category === slug);
      return show(data, state, category.name, goods(products, `/category/${slug}`, request.query));
    },
  },
  {
    method: 'GET',
    pattern: '/search',
    answer: ({ data, state, request }) => {
      const words = (request.query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
      const hits = enabled(state).filter(({ name, brand, sku }) => {
        const text = `${name} ${brand} ${sku}`.toLowerCase();
        return words.length > 0 && words.every((word) => text.includes(word));
      });
      return show(
        data,
        state,
        `Search: ${request.query.q ?? ''}`,
        hits.length ? goods(hits, '/search', request.query) : p('Nothing was found.'),
      );
    },
  },
  {
    method: 'GET',
    pattern: '/product/:slug',
    answer: ({ data, state, params }) => {
      const product = findProduct(state, params.slug);
      return product?.enabled ? productPage(data, state, product) : missing(data, state);
    },
  },
  { method: 'GET', pattern: '/cart', answer: ({ data, state }) => cartPage(data, state) },
  {
    method: 'POST',
    pattern: '/cart/add',
    answer: ({ data, state, request: { form: sent } }) => {
      const product = findProduct(state, sent.product ?? '');
      const quantity = quantityOf(sent.quantity);
      if (!product) return missing(data, state);
      if (quantity === null || quantity > product.stock)
        return go(`/product/${product.slug}`, {
          ...state,
          notice: `The quantity is a number from 1 to ${product.stock}.`,
        });
      return go('/cart', addToCart(state, product.slug, quantity));
    },
  },
  {
    method: 'POST',
    pattern: '/cart/remove',
    answer: ({ state, request: { form: sent } }) =>
      go('/cart', { ...state, cart: state.cart.filter(({ product }) => product !== sent.product) }),
  },
  {
    method: 'GET',
    pattern: '/contact',
    answer: ({ data, state }) =>
      show(
        data,
        state,
        'Contact us',
        form('post', '/contact', field('Subject', 'subject'), area('Message', 'text'), submit('Send message')),
      ),
  },
  {
    method: 'POST',
    pattern: '/contact',
    answer: ({ state, request: { form: sent } }) => {
      const message = { subject: (sent.subject ?? '').trim(), text: (sent.text ?? '').trim() };
      if (!message.subject) return go('/contact', { ...state, notice: 'A message needs a subject.' });
      return go('/contact', { ...state, messages: [...state.messages, message], notice: 'Your message was sent.' });
    },
  },
  { method: 'GET', pattern: '/login', answer: ({ data, state }) => loginPage(data, state) },
  {
    method: 'POST',
    pattern: '/login',
    answer: ({ data, state, request: { form: sent } }) => {
      const right = sent.mail?.trim() === data.owner.mail && sent.password === data.password;
      if (right) return go('/account', { ...state, customer: true, notice: `Welcome, ${data.owner.first}.` });
      const answer = loginPage(data, state);
      return answer.kind === 'page' ? { ...answer, html: alert('Wrong mail or password.').html + answer.html } : answer;
    },
  },
  {
    method: 'POST',
    pattern: '/logout',
    answer: ({ state }) => go('/', { ...state, customer: false, notice: 'Signed out.' }),
  },
];

function handle(data: SeededStore, state: StoreState, request: SiteRequest): Answer {
  const open = route(openRoutes, data, state, request, () => ({ kind: 'redirect', to: '' }));
  if (open.kind !== 'redirect' || open.to !== '') return open;
  const own = route(customerRoutes, data, state, request, () => missing(data, state));
  return state.customer || (own.kind === 'page' && own.status === 404) ? own : toLogin;
}

export const shop: Site<SeededStore, StoreState & Json> = {
  name: 'shop',
  host: 'shop.test',
  title: 'One Shop',
  backend: 'store',
  open: openStore,
  start: (data) => startStore(data) as StoreState & Json,
  handle: handle as never,
};
