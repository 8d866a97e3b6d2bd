/** Tasks that cannot be done, are done already, need a person, or are in an offer's way. */
import { drawNames } from '../data.ts';
import { appNames, hours, seats, sizes } from '../state.ts';
import { anySwitch, person, phrase, product, show, song } from './routine.ts';
import * as skill from './skills.ts';
import type { Context, End, Made, Template } from './template.ts';

const { opening, tap } = skill.ways;

const without = (
  name: string,
  end: End,
  make: (context: Context) => Pick<Made, 'goal' | 'look'>,
  heldOut?: true,
): Template => ({
  name,
  column: 'exception',
  ...(heldOut && { heldOut }),
  make: (context) => ({ ...make(context), subgoals: [], end }),
});

const covered = (name: string, app: string, make: (context: Context) => [string, skill.Subgoal]): Template => ({
  name,
  column: 'exception',
  make(context) {
    const [goal, subgoal] = make(context);
    return { goal, subgoals: [subgoal], offer: app };
  },
});

const inApp = (app: string) => ({ steps: [opening(app)], place: `${app}:` });
const absent = (kind: 'people' | 'songs' | 'products' | 'notes', taken: readonly string[], c: Context) =>
  drawNames(kind, 1, c, taken)[0];

export const exception: readonly Template[] = [
  without('no-contact', 'no_answer', (c) => ({
    goal: `Send ${absent('people', c.data.people, c)} the message "${phrase(c)}".`,
    look: inApp('messages'),
  })),
  without('no-song', 'no_answer', (c) => ({
    goal: `Play the song ${absent(
      'songs',
      c.data.songs.map(({ name }) => name),
      c,
    )}.`,
    look: inApp('music'),
  })),
  without('no-product', 'no_answer', (c) => ({
    goal: `Add the ${absent(
      'products',
      c.data.products.map(({ name }) => name),
      c,
    )} to the wishes.`,
    look: inApp('shop'),
  })),
  without(
    'no-note',
    'no_answer',
    (c) => ({ goal: `Delete the note ${absent('notes', Object.keys(c.state.notes), c)}.`, look: inApp('notes') }),
    true,
  ),
  without('sold-out', 'no_answer', (c) => {
    const chosen = product(c);
    chosen.soldOut = true;
    return {
      goal: `Put the ${chosen.name} of size ${c.random.pick(sizes)} into the cart.`,
      look: { steps: [opening('shop'), tap('shop:', `product ${chosen.name}`)], place: `shop:product/${chosen.name}` },
    };
  }),
  without('no-hour', 'no_answer', (c) => {
    const chosen = show(c);
    const hour = c.random.pick(hours.filter((each) => !chosen.hours.includes(each)));
    return {
      goal: `Book ${c.random.pick(seats)} seats for ${chosen.name} at ${hour}.`,
      look: {
        steps: [opening('tickets'), tap('tickets:', `show ${chosen.name}`)],
        place: `tickets:show/${chosen.name}`,
      },
    };
  }),
  without('already-set', 'finish', (c) => {
    const name = anySwitch(c);
    const { steps } = skill.setSwitch(name, true);
    return {
      goal: `Turn ${c.state.switches[name] ? 'on' : 'off'} ${name}.`,
      look: { steps: steps.slice(0, -1), place: steps.at(-1)!.at },
    };
  }),
  without('already-liked', 'finish', (c) => {
    const { name } = song(c);
    c.state.music.liked[name] = true;
    return {
      goal: `Like the song ${name}.`,
      look: { steps: [opening('music'), tap('music:', `song ${name}`)], place: `music:song/${name}` },
    };
  }),
  without('locked-tickets', 'take_over', (c) => {
    c.data.locked.push('tickets');
    const chosen = show(c);
    const [hour, count] = [c.random.pick(chosen.hours), c.random.pick(seats)];
    return {
      goal: `Book ${count} seats for ${chosen.name} at ${hour}.`,
      look: { steps: skill.bookShow(chosen.name, hour, count).steps.slice(0, -1), place: 'overlay password' },
    };
  }),
  without('locked-shop', 'take_over', (c) => {
    c.data.locked.push('shop');
    const key = `${product(c).name} ${c.random.pick(sizes)}`;
    c.state.shop.cart[key] = true;
    return {
      goal: 'Order what is in the cart of the shop.',
      look: { steps: skill.orderCart(key).steps.slice(0, -1), place: 'overlay password' },
    };
  }),
  covered('offer-on-messages', 'messages', (c) => {
    const [who, text] = [person(c), phrase(c)];
    return [`Send ${who} the message "${text}".`, skill.sendMessage(who, text)];
  }),
  covered('offer-on-music', 'music', (c) => {
    const { name } = song(c);
    return [`Play the song ${name}.`, skill.playSong(name)];
  }),
  covered('offer-on-shop', 'shop', (c) => {
    const { name } = product(c);
    return [`Add the ${name} to the wishes.`, skill.wishFor(name)];
  }),
  covered('offer-on-settings', 'settings', (c) => {
    const app = c.random.pick(appNames);
    const on = !c.state.notifications[app];
    return [`Turn ${on ? 'on' : 'off'} the notifications of ${app}.`, skill.setNotifications(app, on)];
  }),
];
