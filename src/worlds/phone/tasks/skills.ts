/**
 * What a task is made of: a change of the state with the steps that make it. A step names the place in which it is
 * taken; the oracle takes the first open step of the place where it is, or goes home.
 */
import { bookingKey, eventKey, itemKey, levels, type PhoneState, type Section, switches } from '../state.ts';

export interface Step {
  /** Place (`Phone.id`), or `overlay KEY` for an overlay. */
  at: string;
  act: 'tap' | 'hold' | 'text' | 'set' | 'picture' | 'long-picture';
  /** Key of the element. */
  key: string;
  /** Text of a field, or value of a slider. */
  value?: string;
  /** State of the element after which the step is done. */
  until?: string;
}

export interface Subgoal {
  change(state: PhoneState): void;
  steps: Step[];
  /** True of a state in which a later subgoal has used up the change. */
  passed?(state: PhoneState): boolean;
  /** Way to a place that shows what the steps need. */
  look?: { steps: Step[]; place: string };
}

const tap = (at: string, key: string, until?: string): Step => ({ at, act: 'tap', key, until });
const hold = (at: string, key: string): Step => ({ at, act: 'hold', key });
const type = (at: string, key: string, value: string): Step => ({ at, act: 'text', key, value });
const opening = (app: string): Step => tap('home', `app ${app}`);

export function sendMessage(who: string, text: string): Subgoal {
  const thread = `messages:thread/${who}`;
  return {
    change: (state) => void state.messages[who].log.push(`me: ${text}`),
    steps: [opening('messages'), tap('messages:', `thread ${who}`), type(thread, 'Message', text), tap(thread, 'Send')],
  };
}

/** A choice of a conversation's menu: Mute, Unmute, Pin, Unpin or Delete. */
export function threadMenu(who: string, choice: string): Subgoal {
  return {
    change({ messages }) {
      if (choice === 'Delete') delete messages[who];
      else if (choice.endsWith('ute')) messages[who].muted = choice === 'Mute';
      else messages[who].pinned = choice === 'Pin';
    },
    steps: [opening('messages'), hold('messages:', `thread ${who}`), tap(`overlay thread ${who}`, choice)],
  };
}

export function addEvent(title: string, day: string, hour: number): Subgoal {
  const form = 'calendar:new';
  return {
    change: (state) => {
      state.calendar[eventKey(title, day, hour)] = { title, day, hour, reminder: false };
    },
    steps: [
      opening('calendar'),
      tap('calendar:', 'New event'),
      type(form, 'Title', title),
      tap(form, `day ${day}`, 'chosen'),
      tap(form, `hour ${hour}`, 'chosen'),
      tap(form, 'Save'),
    ],
  };
}

const eventWay = (day: string, key: string) => [
  opening('calendar'),
  tap('calendar:', `day ${day}`),
  tap(`calendar:day/${day}`, `event ${key}`),
];

export function deleteEvent({ title, day, hour }: { title: string; day: string; hour: number }): Subgoal {
  const key = eventKey(title, day, hour);
  return {
    change: (state) => void delete state.calendar[key],
    steps: [...eventWay(day, key), tap(`calendar:event/${key}`, 'Delete')],
  };
}

export function setReminder({ title, day, hour }: { title: string; day: string; hour: number }, on: boolean): Subgoal {
  const key = eventKey(title, day, hour);
  return {
    change: (state) => {
      state.calendar[key].reminder = on;
    },
    steps: [...eventWay(day, key), tap(`calendar:event/${key}`, 'Reminder')],
  };
}

export const writeNote = (title: string, text: string): Subgoal => ({
  change: (state) => {
    state.notes[title] = { text, pinned: false };
  },
  steps: [
    opening('notes'),
    tap('notes:', 'New note'),
    type('notes:new', 'Title', title),
    type('notes:new', 'Text', text),
    tap('notes:new', 'Save'),
  ],
});

/** A choice of a note's menu: Pin, Unpin or Delete. */
export const noteMenu = (title: string, choice: string): Subgoal => ({
  change({ notes }) {
    if (choice === 'Delete') delete notes[title];
    else notes[title].pinned = choice === 'Pin';
  },
  steps: [opening('notes'), hold('notes:', `note ${title}`), tap(`overlay note ${title}`, choice)],
});

const sectionOf = (name: string) =>
  (Object.keys(switches) as Section[]).find((section) => (switches[section] as readonly string[]).includes(name))!;

export function setSwitch(name: string, on: boolean): Subgoal {
  const section = sectionOf(name);
  return {
    change: (state) => {
      state.switches[name] = on;
    },
    steps: [opening('settings'), tap('settings:', section), tap(`settings:section/${section}`, name)],
  };
}

export function setLevel(section: keyof typeof levels, value: number): Subgoal {
  const name = levels[section];
  const at = `settings:section/${section}`;
  return {
    change: (state) => {
      state.levels[name] = value;
    },
    steps: [opening('settings'), tap('settings:', section), { at, act: 'set', key: name, value: String(value) }],
  };
}

export const setNotifications = (app: string, on: boolean): Subgoal => ({
  change: (state) => {
    state.notifications[app] = on;
  },
  steps: [opening('settings'), tap('settings:', 'notifications'), tap('settings:notifications', `notify ${app}`)],
});

const productPlace = (name: string) => `shop:product/${name}`;

export const wishFor = (name: string): Subgoal => ({
  change: (state) => {
    state.shop.wishes[name] = true;
  },
  steps: [opening('shop'), tap('shop:', `product ${name}`), tap(productPlace(name), 'Wish')],
});

export const addToCart = (name: string, size: string): Subgoal => ({
  change: (state) => {
    state.shop.cart[itemKey(name, size)] = true;
  },
  steps: [
    opening('shop'),
    tap('shop:', `product ${name}`),
    tap(productPlace(name), `size ${size}`, 'chosen'),
    tap(productPlace(name), 'Add to cart'),
  ],
});

/** Orders what is in the cart: the subgoal after those that fill it. */
export const orderCart = (key: string): Subgoal => ({
  change({ shop }) {
    delete shop.cart[key];
    shop.orders[key] = true;
  },
  steps: [opening('shop'), tap('shop:', 'Cart'), tap('shop:cart', 'Order'), tap('overlay order', 'Order')],
});

const placeWay = (name: string) => [opening('map'), tap('map:', `pin ${name}`)];

export const savePlace = (name: string): Subgoal => ({
  change: (state) => {
    state.map.saved[name] = true;
  },
  steps: [...placeWay(name), tap(`map:place/${name}`, 'Save')],
});

export const startRoute = (name: string, mode: string): Subgoal => ({
  change(state) {
    state.map.route = `${name} by ${mode}`;
    state.device.permissions.map = 'granted';
  },
  steps: [
    ...placeWay(name),
    tap(`map:place/${name}`, `mode ${mode}`, 'chosen'),
    tap(`map:place/${name}`, 'Start'),
    tap('overlay location', 'Allow'),
  ],
});

const songWay = (name: string) => [opening('music'), tap('music:', `song ${name}`)];

export const playSong = (name: string): Subgoal => ({
  change: (state) => {
    state.music.playing = name;
  },
  steps: [...songWay(name), tap(`music:song/${name}`, 'Play')],
});

export const likeSong = (name: string): Subgoal => ({
  change: (state) => {
    state.music.liked[name] = true;
  },
  steps: [...songWay(name), tap(`music:song/${name}`, 'Like')],
});

export const addToPlaylist = (song: string, list: string): Subgoal => ({
  change: (state) => {
    state.music.playlists[list][song] = true;
  },
  steps: [opening('music'), hold('music:', `song ${song}`), tap(`overlay add ${song}`, list)],
});

export function bookShow(name: string, hour: number, count: number): Subgoal {
  const at = `tickets:show/${name}`;
  return {
    change: (state) => {
      state.tickets[bookingKey(name, hour)] = { seats: count };
    },
    steps: [
      opening('tickets'),
      tap('tickets:', `show ${name}`),
      tap(at, `hour ${hour}`, 'chosen'),
      tap(at, `seats ${count}`, 'chosen'),
      tap(at, 'Book'),
      tap('overlay book', 'Book'),
    ],
  };
}

/** A picture of a place, which the way leads to. */
export const takePicture = (way: readonly Step[], place: string, long = false): Subgoal => ({
  change: (state) => {
    state.device.pictures[`${long ? 'long' : 'screen'} ${place}`] = true;
  },
  steps: [...way, { at: place, act: long ? 'long-picture' : 'picture', key: '' }],
});

export const ways = { opening, tap };
