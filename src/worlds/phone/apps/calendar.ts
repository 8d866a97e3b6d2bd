/** Calendar: the events of a day, swiped from day to day; a new event; reminder and deletion. */
import {
  type App,
  button,
  chips,
  field,
  heading,
  menu,
  note,
  type Phone,
  row,
  type Screen,
  toggle,
} from '../screen.ts';
import { days, eventKey, hours } from '../state.ts';

function save(p: Phone) {
  const [title, day, hour] = [p.draft('Title').trim(), p.draft('day'), Number(p.draft('hour'))];
  if (!title || !day || !hour) return p.toast('Title, day and hour are needed');
  p.state.calendar[eventKey(title, day, hour)] = { title, day, hour, reminder: false };
  p.replace(`day/${day}`);
}

function day(p: Phone, shown: string): Screen {
  const events = Object.entries(p.state.calendar).filter(([, event]) => event.day === shown);
  events.sort(([, a], [, b]) => a.hour - b.hour);
  const at = days.indexOf(shown as (typeof days)[number]);
  return {
    title: shown,
    items: [
      ...events.map(([key, { title, hour, reminder }]) =>
        row(`event ${key}`, title, (q) => q.go(`event/${key}`), {
          detail: `at ${hour}`,
          state: reminder ? 'reminder' : undefined,
          hold: (q) => q.show(menu(`event ${key}`, title, [['Delete', (r) => void delete r.state.calendar[key]]])),
        }),
      ),
      ...(events.length ? [] : [note('empty', 'No events')]),
    ],
    bottom: [button('New event', 'New event', (q) => q.go('new'))],
    swipe: (q, by) => q.replace(`day/${days[(at + by + days.length) % days.length]}`),
  };
}

const week = (p: Phone): Screen => ({
  title: 'Calendar',
  items: days.map((name) => {
    const count = Object.values(p.state.calendar).filter((event) => event.day === name).length;
    return row(`day ${name}`, name, (q) => q.go(`day/${name}`), { detail: `${count} events` });
  }),
  bottom: [button('New event', 'New event', (q) => q.go('new'))],
});

export const calendar: App = {
  title: 'Calendar',
  view(p, place, argument) {
    if (place === 'day') return day(p, argument);
    if (place === 'new')
      return {
        title: 'New event',
        items: [
          field(p, 'Title', 'Title'),
          heading('Day'),
          ...chips(p, 'day', days),
          heading('Hour'),
          ...chips(p, 'hour', hours),
        ],
        bottom: [button('Save', 'Save', save)],
      };
    const event = p.state.calendar[argument];
    if (place !== 'event' || !event) return week(p);
    return {
      title: event.title,
      items: [
        note('when', `${event.day} at ${event.hour}`),
        toggle('Reminder', 'Reminder', event.reminder, (q) => {
          q.state.calendar[argument].reminder = !event.reminder;
        }),
      ],
      bottom: [
        button('Delete', 'Delete', (q) => {
          delete q.state.calendar[argument];
          q.back();
        }),
      ],
    };
  },
};
