/** Tickets: shows with their times and seats, and the bookings. */
import { type App, button, chips, heading, note, type Phone, question, row, type Screen } from '../screen.ts';
import { bookingKey, seats } from '../state.ts';
import { password } from './shop.ts';

function book(p: Phone, name: string) {
  const [hour, count] = [Number(p.draft('hour')), Number(p.draft('seats'))];
  if (!hour || !count) return p.toast('Choose an hour and seats');
  if (p.data.locked.includes('tickets')) return p.show(password('Tickets'));
  const confirm = (q: Phone) => {
    q.state.tickets[bookingKey(name, hour)] = { seats: count };
    q.replace('bookings');
  };
  p.show(question('book', 'Book?', `${name} at ${hour}, ${count} seats`, 'Book', 'Not now', confirm));
}

function show(p: Phone, name: string): Screen {
  const { day, hours, soldOut } = p.data.shows.find((each) => each.name === name)!;
  if (soldOut) return { title: name, items: [note('day', day), note('stock', 'Sold out')] };
  return {
    title: name,
    items: [
      note('day', day),
      heading('Hour'),
      ...chips(p, 'hour', hours),
      heading('Seats'),
      ...chips(p, 'seats', seats),
    ],
    bottom: [button('Book', 'Book', (q) => book(q, name))],
  };
}

export const tickets: App = {
  title: 'Tickets',
  view(p, place, name) {
    if (place === 'show' && p.data.shows.some((each) => each.name === name)) return show(p, name);
    if (place === 'bookings') {
      const all = Object.entries(p.state.tickets);
      return {
        title: 'Bookings',
        items: all.length
          ? all.map(([key, { seats: count }]) =>
              row(`booking ${key}`, key, (q) => q.show(cancelling(key)), { detail: `${count} seats` }),
            )
          : [note('empty', 'No bookings')],
      };
    }
    return {
      title: 'Tickets',
      items: p.data.shows.map((each) =>
        row(`show ${each.name}`, each.name, (q) => q.go(`show/${each.name}`), {
          detail: each.day,
          state: each.soldOut ? 'sold out' : undefined,
        }),
      ),
      bottom: [button('Bookings', 'Bookings', (q) => q.go('bookings'))],
    };
  },
};

const cancelling = (key: string) =>
  question('cancel', 'Cancel the booking?', key, 'Cancel booking', 'Keep', (p) => void delete p.state.tickets[key]);
