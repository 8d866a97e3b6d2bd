/** Shop: search, product pages with sizes, a wish list, a cart and its checkout. */
import { type App, button, chips, field, heading, note, type Phone, question, row, type Screen } from '../screen.ts';
import { itemKey, sizes } from '../state.ts';

const search = (p: Phone) => p.go(`results/${p.draft('Search').trim()}`);

const rowsOf = (p: Phone, words: string) =>
  p.data.products
    .filter(({ name }) =>
      words
        .toLowerCase()
        .split(/\s+/)
        .every((word) => name.includes(word)),
    )
    .map(({ name, price, soldOut }) =>
      row(`product ${name}`, name, (q) => q.go(`product/${name}`), {
        detail: `${price} dollars`,
        state: soldOut ? 'sold out' : undefined,
      }),
    );

function addToCart(p: Phone, name: string) {
  const size = p.draft('size');
  if (!size) return p.toast('Choose a size');
  p.state.shop.cart[itemKey(name, size)] = true;
  p.toast('In the cart');
}

function product(p: Phone, name: string): Screen {
  const { price, soldOut } = p.data.products.find((each) => each.name === name)!;
  const wished = name in p.state.shop.wishes;
  const wish = button('Wish', wished ? 'Remove wish' : 'Add to wishes', (q) => {
    if (wished) delete q.state.shop.wishes[name];
    else q.state.shop.wishes[name] = true;
  });
  return {
    title: name,
    items: [
      note('price', `${price} dollars`),
      ...(soldOut ? [note('stock', 'Sold out')] : []),
      heading('Size'),
      ...chips(p, 'size', sizes),
      wish,
    ],
    bottom: [
      ...(soldOut ? [] : [button('Add to cart', 'Add to cart', (q) => addToCart(q, name))]),
      button('Cart', 'Cart', (q) => q.go('cart')),
    ],
  };
}

function order(p: Phone) {
  if (p.data.locked.includes('shop')) return p.show(password('Shop'));
  const buy = (q: Phone) => {
    Object.assign(q.state.shop.orders, q.state.shop.cart);
    q.state.shop.cart = {};
  };
  p.show(question('order', 'Place the order?', 'The order is paid from the account.', 'Order', 'Not now', buy));
}

/** Dialog of a locked account: the agent has no password, so that a person must take over. */
export const password = (title: string) =>
  question('password', `${title}: sign in`, 'The account is locked. Enter the password.', 'Sign in', 'Not now', (p) =>
    p.toast('Wrong password'),
  );

function cart(p: Phone): Screen {
  const all = Object.keys(p.state.shop.cart);
  return {
    title: 'Cart',
    items: all.length
      ? all.map((key) =>
          row(`cart ${key}`, key, (q) => void delete q.state.shop.cart[key], { detail: 'tap to remove' }),
        )
      : [note('empty', 'The cart is empty')],
    bottom: all.length ? [button('Order', 'Order', order)] : [],
  };
}

export const shop: App = {
  title: 'Shop',
  view(p, place, argument) {
    if (place === 'product' && p.data.products.some(({ name }) => name === argument)) return product(p, argument);
    if (place === 'cart') return cart(p);
    if (place === 'results') {
      const found = rowsOf(p, argument);
      return { title: 'Results', items: found.length ? found : [note('empty', 'Nothing found')] };
    }
    return {
      title: 'Shop',
      items: [field(p, 'Search', 'Search', search), button('Go', 'Search', search), ...rowsOf(p, '')],
      bottom: [button('Cart', 'Cart', (q) => q.go('cart'))],
    };
  },
};
