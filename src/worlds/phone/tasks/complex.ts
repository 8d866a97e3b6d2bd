/** Tasks of several steps, most of them over several apps, some with a text or a number to look up. */
import { days, eventKey, hours, itemKey, modes, seats, sizes } from '../state.ts';
import { event, newTitle, noteTitle, person, phrase, place, product, show, song } from './routine.ts';
import * as skill from './skills.ts';
import type { Context, Template } from './template.ts';

const several = (name: string, make: (context: Context) => [string, skill.Subgoal[]], heldOut?: true): Template => ({
  name,
  column: 'complex',
  ...(heldOut && { heldOut }),
  make(context) {
    const [goal, subgoals] = make(context);
    return { goal, subgoals };
  },
});

/** A subgoal whose steps begin with a look at another place. */
const after = (look: skill.Subgoal['steps'], place: string, subgoal: skill.Subgoal): skill.Subgoal => ({
  ...subgoal,
  look: { steps: look, place },
});

const { opening, tap } = skill.ways;

/** Fills the cart, unless its content was ordered already. */
const fillCart = (name: string, size: string): skill.Subgoal => ({
  ...skill.addToCart(name, size),
  passed: ({ shop }) => itemKey(name, size) in shop.orders,
});

/** Adds an event whose reminder is turned on later. */
const reminded = (title: string, day: string, hour: number): skill.Subgoal => ({
  ...skill.addEvent(title, day, hour),
  passed: ({ calendar }) => calendar[eventKey(title, day, hour)]?.reminder === true,
});

function cheapest(context: Context) {
  const cheap = product(context);
  cheap.price = 3;
  return cheap;
}

export const complex: readonly Template[] = [
  several('message-and-event', (c) => {
    const [who, text, title] = [person(c), phrase(c), newTitle(c)];
    const [day, hour] = [c.random.pick(days), c.random.pick(hours)];
    return [
      `Add the event "${title}" on ${day} at ${hour}, and send ${who} the message "${text}".`,
      [skill.addEvent(title, day, hour), skill.sendMessage(who, text)],
    ];
  }),
  several('note-to-message', (c) => {
    const [who, title] = [person(c), noteTitle(c)];
    const { text } = c.state.notes[title];
    const way = [opening('notes'), tap('notes:', `note ${title}`)];
    return [
      `Send ${who} the text of the note ${title}.`,
      [after(way, `notes:note/${title}`, skill.sendMessage(who, text))],
    ];
  }),
  several('event-to-message', (c) => {
    const [who, { title, day, hour }] = [person(c), event(c)];
    const key = `${title} ${day} ${hour}`;
    const way = [opening('calendar'), tap('calendar:', `day ${day}`), tap(`calendar:day/${day}`, `event ${key}`)];
    return [
      `Send ${who} the day and hour of ${title} on ${day}, as its page in the calendar shows them.`,
      [after(way, `calendar:event/${key}`, skill.sendMessage(who, `${day} at ${hour}`))],
    ];
  }),
  several('cheapest-wish', (c) => {
    const { name } = cheapest(c);
    return [
      'Add the cheapest product of the shop to the wishes.',
      [after([opening('shop')], 'shop:', skill.wishFor(name))],
    ];
  }),
  several('buy', (c) => {
    const [{ name }, size] = [product(c), c.random.pick(sizes)];
    return [`Buy the ${name} of size ${size}.`, [fillCart(name, size), skill.orderCart(itemKey(name, size))]];
  }),
  several('quiet', (c) => {
    const value = 10 * c.random.below(5);
    c.state.switches['Do not disturb'] = false;
    c.state.levels.Volume = 80;
    return [
      `Turn on Do not disturb and set the volume to ${value}.`,
      [skill.setSwitch('Do not disturb', true), skill.setLevel('sound', value)],
    ];
  }),
  several('song-and-message', (c) => {
    const [who, { name }] = [person(c), song(c)];
    return [`Like the song "${name}" and send ${who} its name.`, [skill.likeSong(name), skill.sendMessage(who, name)]];
  }),
  several('route-and-message', (c) => {
    const [who, text, { name }, mode] = [person(c), phrase(c), place(c), c.random.pick(modes)];
    return [
      `Start a route to ${name} by ${mode} and send ${who} the message "${text}".`,
      [skill.startRoute(name, mode), skill.sendMessage(who, text)],
    ];
  }),
  several('event-with-reminder', (c) => {
    const [title, day, hour] = [newTitle(c), c.random.pick(days), c.random.pick(hours)];
    return [
      `Add the event "${title}" on ${day} at ${hour} and turn on its reminder.`,
      [reminded(title, day, hour), skill.setReminder({ title, day, hour }, true)],
    ];
  }),
  several(
    'book-and-event',
    (c) => {
      const chosen = show(c);
      const [hour, count] = [c.random.pick(chosen.hours), c.random.pick(seats)];
      return [
        `Book ${count} seats for "${chosen.name}" at ${hour} and add it to the calendar as an event on ${chosen.day} at ${hour}.`,
        [skill.bookShow(chosen.name, hour, count), skill.addEvent(chosen.name, chosen.day, hour)],
      ];
    },
    true,
  ),
  several(
    'playlist-of-two',
    (c) => {
      const [first, second] = c.random.shuffle([...c.data.songs]);
      const list = c.random.pick(Object.keys(c.state.music.playlists));
      return [
        `Add the songs ${first.name} and ${second.name} to the playlist ${list}.`,
        [skill.addToPlaylist(first.name, list), skill.addToPlaylist(second.name, list)],
      ];
    },
    true,
  ),
];
