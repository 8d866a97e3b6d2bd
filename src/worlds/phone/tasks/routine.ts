/** Everyday tasks in one app. */
import { drawNames } from '../data.ts';
import { days, hours, levels, modes, type Section, seats, sizes, switches } from '../state.ts';
import { named } from './sentences.ts';
import * as skill from './skills.ts';
import type { Context, Made, Template } from './template.ts';

export const person = ({ random, data }: Context) => random.pick(data.people);
export const phrase = (context: Context) => drawNames('phrases', 1, context)[0];
export const event = ({ random, state }: Context) => random.pick(Object.values(state.calendar));
export const noteTitle = ({ random, state }: Context) => random.pick(Object.keys(state.notes));
export const song = ({ random, data }: Context): Context['data']['songs'][number] => random.pick(data.songs);
export const product = ({ random, data }: Context): Context['data']['products'][number] => random.pick(data.products);
export const place = ({ random, data }: Context): Context['data']['places'][number] => random.pick(data.places);
export const show = ({ random, data }: Context) => random.pick(data.shows);
const playlist = ({ random, state }: Context) => random.pick(Object.keys(state.music.playlists));
export const anySwitch = ({ random }: Context) => random.pick(Object.values(switches).flat());
/** Title of an event that the calendar does not have. */
export const newTitle = (context: Context) =>
  drawNames(
    'titles',
    1,
    context,
    Object.values(context.state.calendar).map(({ title }) => title),
  )[0];
const newNote = (context: Context) => drawNames('notes', 1, context, Object.keys(context.state.notes))[0];

const one = (name: string, make: (context: Context) => [string, skill.Subgoal]): Template => ({
  name,
  column: 'routine',
  make(context): Made {
    const [goal, subgoal] = make(context);
    return { goal, subgoals: [subgoal] };
  },
});

const threadTask = (name: string, choice: string, goal: (who: string) => string): Template =>
  one(name, (context) => {
    const who = person(context);
    const thread = context.state.messages[who];
    if (choice.endsWith('ute')) thread.muted = choice === 'Unmute';
    if (choice.endsWith('in')) thread.pinned = choice === 'Unpin';
    return [goal(who), skill.threadMenu(who, choice)];
  });

const switchTask = (name: string, on: boolean): Template =>
  one(name, (context) => {
    const chosen = anySwitch(context);
    context.state.switches[chosen] = !on;
    return [`Turn ${on ? 'on' : 'off'} ${chosen}.`, skill.setSwitch(chosen, on)];
  });

const levelTask = (section: keyof typeof levels): Template =>
  one(`set-${levels[section].toLowerCase()}`, ({ random, state }) => {
    const name = levels[section];
    const value = 10 * random.below(11);
    if (state.levels[name] === value) state.levels[name] = value < 50 ? 90 : 10;
    return [
      `Set the ${name.toLowerCase()} to ${value}.`,
      skill.setLevel(section as Section & keyof typeof levels, value),
    ];
  });

const noteTask = (name: string, choice: string, goal: (title: string) => string): Template =>
  one(name, (context) => {
    const title = noteTitle(context);
    context.state.notes[title].pinned = choice === 'Unpin';
    return [goal(title), skill.noteMenu(title, choice)];
  });

const inMessages = [
  one('send-message', (c) => {
    const [who, text] = [person(c), phrase(c)];
    return [`Send ${who} the message "${text}".`, skill.sendMessage(who, text)];
  }),
  threadTask('mute-thread', 'Mute', (who) => `Mute the conversation with ${who}.`),
  threadTask('unmute-thread', 'Unmute', (who) => `Unmute the conversation with ${who}.`),
  threadTask('pin-thread', 'Pin', (who) => `Pin the conversation with ${who}.`),
  threadTask('delete-thread', 'Delete', (who) => `Delete the conversation with ${who}.`),
];

const inCalendar = [
  one('add-event', (c) => {
    const [title, day, hour] = [newTitle(c), c.random.pick(days), c.random.pick(hours)];
    return [`Add the event "${title}" on ${day} at ${hour}.`, skill.addEvent(title, day, hour)];
  }),
  one('delete-event', (c) => {
    const chosen = event(c);
    return [`Delete the event ${chosen.title} on ${chosen.day}.`, skill.deleteEvent(chosen)];
  }),
  one('reminder', (c) => {
    const chosen = event(c);
    return [
      `Turn ${chosen.reminder ? 'off' : 'on'} the reminder of ${chosen.title} on ${chosen.day}.`,
      skill.setReminder(chosen, !chosen.reminder),
    ];
  }),
];

const inNotes = [
  one('write-note', (c) => {
    const [title, text] = [newNote(c), phrase(c)];
    return [`Write a note with the title "${title}" and the text "${text}".`, skill.writeNote(title, text)];
  }),
  noteTask('pin-note', 'Pin', (title) => `Pin the note ${title}.`),
  noteTask('unpin-note', 'Unpin', (title) => `Unpin the note ${title}.`),
  noteTask('delete-note', 'Delete', (title) => `Delete the note ${title}.`),
];

const inSettings = [
  switchTask('switch-on', true),
  switchTask('switch-off', false),
  levelTask('display'),
  levelTask('sound'),
  one('notifications', (c) => {
    const app = c.random.pick(Object.keys(c.state.notifications));
    const on = !c.state.notifications[app];
    return [`Turn ${on ? 'on' : 'off'} the notifications of ${named(app)}.`, skill.setNotifications(app, on)];
  }),
];

const inShop = [
  one('wish', (c) => {
    const { name } = product(c);
    return [`Add the ${name} to the wishes.`, skill.wishFor(name)];
  }),
  one('cart', (c) => {
    const [{ name }, size] = [product(c), c.random.pick(sizes)];
    return [`Put the ${name} of size ${size} into the cart.`, skill.addToCart(name, size)];
  }),
  one('order', (c) => {
    const key = `${product(c).name} ${c.random.pick(sizes)}`;
    c.state.shop.cart[key] = true;
    return ['Order what is in the cart of the shop.', skill.orderCart(key)];
  }),
];

const inMap = [
  one('save-place', (c) => {
    const { name } = place(c);
    return [`Save the place ${name} on the map.`, skill.savePlace(name)];
  }),
  one('route', (c) => {
    const [{ name }, mode] = [place(c), c.random.pick(modes)];
    return [`Start a route to ${name} by ${mode}.`, skill.startRoute(name, mode)];
  }),
];

const inMusic = [
  one('play-song', (c) => {
    const { name } = song(c);
    return [`Play the song ${name}.`, skill.playSong(name)];
  }),
  one('like-song', (c) => {
    const { name } = song(c);
    return [`Like the song ${name}.`, skill.likeSong(name)];
  }),
  one('playlist', (c) => {
    const [{ name }, list] = [song(c), playlist(c)];
    return [`Add the song ${name} to the playlist ${list}.`, skill.addToPlaylist(name, list)];
  }),
];

const inTickets = [
  one('book', (c) => {
    const chosen = show(c);
    const [hour, count] = [c.random.pick(chosen.hours), c.random.pick(seats)];
    return [`Book ${count} seats for ${chosen.name} at ${hour}.`, skill.bookShow(chosen.name, hour, count)];
  }),
];

const pictures = [
  one('screenshot', (c) => {
    const who = person(c);
    const way = [skill.ways.opening('messages'), skill.ways.tap('messages:', `thread ${who}`)];
    return [`Take a screenshot of the conversation with ${who}.`, skill.takePicture(way, `messages:thread/${who}`)];
  }),
];

export const routine: readonly Template[] = [
  ...inMessages,
  ...inCalendar,
  ...inNotes,
  ...inSettings,
  ...inShop,
  ...inMap,
  ...inMusic,
  ...inTickets,
  ...pictures,
];
