/** Tasks in the shop's administration. */
import { money } from '../sites/html.ts';
import { findProduct, type Order, orderStatuses, type Product } from '../sites/shop/store.ts';
import { bestsellers, salesByMonth } from '../sites/shop-admin/index.ts';
import { admin, type Here, inAdmin, pick, productOf } from './store.ts';
import { answerIs, endsAt, notPossible, type PlanStep, shows, type Template } from './template.ts';

const orderOf = ({ state, random }: Here, holds: (order: Order) => boolean = () => true) =>
  pick(random, state.orders.filter(holds));
/** Steps to an order by its customer's name. */
const toOrder = (order: Order): PlanStep[] => [
  { visit: '/orders' },
  { submit: '/orders', fields: { q: order.customer } },
  { visit: `/orders/${order.id}` },
];
const toGoods = (product: Product): PlanStep[] => [
  { visit: '/products' },
  { submit: '/products', fields: { q: product.name } },
  { visit: `/products/${product.slug}` },
];

export const adminTemplates: readonly Template[] = [
  inAdmin('open-page', 'short', ({ random }) => {
    const [path, name] = random.pick([
      ['orders', 'orders'],
      ['products', 'products'],
      ['customers', 'customers'],
      ['reviews', 'reviews'],
      ['reports', 'reports'],
    ] as const);
    return {
      intent: `Open the ${name}.`,
      gaps: { name },
      evaluation: endsAt(admin + path),
      plan: [{ visit: `/${path}` }, { stop: '' }],
    };
  }),
  inAdmin('bestseller', 'short', ({ state }) => {
    const [first, second] = bestsellers(state);
    if (first.sold === second.sold) return null;
    return {
      intent: 'Which product sells best?',
      gaps: {},
      evaluation: answerIs(first.name),
      plan: [{ stop: first.name }],
    };
  }),
  inAdmin('filter', 'medium', ({ random }) => {
    const status = random.pick(orderStatuses);
    return {
      intent: `Show the orders that are ${status}.`,
      gaps: { status },
      evaluation: endsAt(`${admin}orders?status=${status}`),
      plan: [{ visit: '/orders' }, { visit: `/orders?status=${status}` }, { stop: '' }],
    };
  }),
  inAdmin('customer-spent', 'medium', ({ store, state, random }) => {
    const { name } = random.pick(store.customers);
    const spent = money(
      state.orders.filter(({ customer }) => customer === name).reduce((sum, { total }) => sum + total, 0),
    );
    return {
      intent: `How much has the customer ${name} spent in all?`,
      gaps: { name },
      evaluation: answerIs(spent),
      plan: [{ visit: '/customers' }, { stop: spent }],
    };
  }),
  inAdmin('customer-mail', 'medium', ({ store, random }) => {
    const { name, mail } = random.pick(store.customers);
    return {
      intent: `What is the mail of ${name}?`,
      gaps: { name },
      evaluation: answerIs(mail),
      plan: [{ visit: '/customers' }, { stop: mail }],
    };
  }),
  inAdmin('sales-of-month', 'medium', ({ state, random }) => {
    const { month, sum } = random.pick(salesByMonth(state));
    return {
      intent: `What were the sales of ${month}?`,
      gaps: { month },
      evaluation: answerIs(money(sum)),
      plan: [{ visit: '/reports' }, { stop: money(sum) }],
    };
  }),
  inAdmin('order-status', 'long', (all) => {
    const order = orderOf(all);
    if (!order) return null;
    const status = all.random.pick(orderStatuses.filter((one) => one !== order.status));
    return {
      intent: `Set the order ${order.id} of ${order.customer} to ${status}.`,
      gaps: { order: order.id, customer: order.customer, status },
      evaluation: shows({ url: `${admin}orders/${order.id}`, at: '.order-status', text: status }),
      plan: [...toOrder(order), { submit: `/orders/${order.id}/status`, fields: { status } }, { stop: '' }],
    };
  }),
  inAdmin('order-comment', 'long', (all) => {
    const order = orderOf(all);
    if (!order) return null;
    const text = all.random.pick(['Call before delivery', 'Leave at the door', 'Gift wrap', 'Check the address']);
    return {
      intent: `Add the comment "${text}" to the order ${order.id} of ${order.customer}.`,
      gaps: { order: order.id, customer: order.customer, text },
      evaluation: shows({ url: `${admin}orders/${order.id}`, at: '.comment', text }),
      plan: [...toOrder(order), { submit: `/orders/${order.id}/comment`, fields: { comment: text } }, { stop: '' }],
    };
  }),
  inAdmin(
    'order-address',
    'long',
    (all) => {
      const order = orderOf(all, ({ status }) => status === 'Pending' || status === 'Processing');
      if (!order) return null;
      const address = `${all.random.between(1, 99)} Harbour Way`;
      return {
        intent: `The order ${order.id} of ${order.customer} goes to "${address}" instead: change its address.`,
        gaps: { order: order.id, customer: order.customer, address },
        evaluation: shows({ url: `${admin}orders/${order.id}`, at: '.address', text: address }),
        plan: [...toOrder(order), { submit: `/orders/${order.id}/address`, fields: { address } }, { stop: '' }],
      };
    },
    { heldOut: true },
  ),
  inAdmin('price', 'long', (all) => {
    const product = productOf(all);
    const price = `${all.random.between(5, 150)}.50`;
    return {
      intent: `Set the price of the ${product.name} to ${price}.`,
      gaps: { product: product.name, price },
      evaluation: shows({ url: `${admin}products/${product.slug}`, at: '.price', text: `$${price}` }),
      plan: [...toGoods(product), { submit: `/products/${product.slug}`, fields: { price } }, { stop: '' }],
    };
  }),
  inAdmin('stock', 'long', (all) => {
    const product = productOf(all);
    const stock = String(all.random.between(50, 400));
    return {
      intent: `Set the stock of the ${product.name} to ${stock}.`,
      gaps: { product: product.name, stock },
      evaluation: shows({ url: `${admin}products/${product.slug}`, at: '.stock', text: `${stock} pieces` }),
      plan: [...toGoods(product), { submit: `/products/${product.slug}`, fields: { stock } }, { stop: '' }],
    };
  }),
  inAdmin('hide', 'long', (all) => {
    const product = productOf(all);
    return {
      intent: `Hide the ${product.name} in the shop.`,
      gaps: { product: product.name },
      evaluation: shows({ url: `${admin}products/${product.slug}`, at: '.shown', text: 'No' }),
      plan: [...toGoods(product), { submit: `/products/${product.slug}/shown` }, { stop: '' }],
    };
  }),
  inAdmin('approve-review', 'medium', ({ state, random }) => {
    const review = pick(
      random,
      state.reviews.filter(({ status }) => status === 'Pending'),
    );
    if (!review) return null;
    const product = findProduct(state, review.product)!;
    return {
      intent: `Approve the pending review of the ${product.name} by ${review.nickname}.`,
      gaps: { product: product.name, nickname: review.nickname },
      evaluation: shows({ url: `${admin}reviews/${review.id}`, at: '.review-status', text: 'Approved' }),
      plan: [
        { visit: '/reviews' },
        { visit: `/reviews/${review.id}` },
        { submit: `/reviews/${review.id}/approve` },
        { stop: '' },
      ],
    };
  }),
  inAdmin(
    'delete-review',
    'medium',
    ({ state, random }) => {
      const review = pick(
        random,
        state.reviews.filter(({ status }) => status === 'Pending'),
      );
      if (!review) return null;
      const product = findProduct(state, review.product)!;
      return {
        intent: `Delete the pending review of the ${product.name} by ${review.nickname}.`,
        gaps: { product: product.name, nickname: review.nickname },
        evaluation: shows({ url: `${admin}reviews/${review.id}`, at: 'h1', text: 'Page not found' }),
        plan: [
          { visit: '/reviews' },
          { visit: `/reviews/${review.id}` },
          { submit: `/reviews/${review.id}/delete` },
          { stop: '' },
        ],
      };
    },
    { heldOut: true },
  ),
  inAdmin(
    'no-phone',
    'short',
    ({ store, random }) => {
      const { name } = random.pick(store.customers);
      return {
        intent: `What is the phone number of ${name}? If it is not known here, answer N/A.`,
        gaps: { name },
        evaluation: notPossible,
        plan: [{ visit: '/customers' }, { stop: 'N/A' }],
      };
    },
    { feasible: false },
  ),
];
