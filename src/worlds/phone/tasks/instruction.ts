/** Tasks that name their steps. */
import { days, hours, seats, sizes } from '../state.ts';
import { anySwitch, newTitle, noteTitle, person, phrase, place, product, show, song } from './routine.ts';
import * as skill from './skills.ts';
import type { Context, Template } from './template.ts';

const told = (name: string, make: (context: Context) => [string, skill.Subgoal], heldOut?: true): Template => ({
  name,
  column: 'instruction',
  ...(heldOut && { heldOut }),
  make(context) {
    const [goal, subgoal] = make(context);
    return { goal, subgoals: [subgoal] };
  },
});

export const instruction: readonly Template[] = [
  told('told-message', (c) => {
    const [who, text] = [person(c), phrase(c)];
    return [
      `Open Messages, open the conversation with ${who}, write "${text}", then press Send.`,
      skill.sendMessage(who, text),
    ];
  }),
  told('told-mute', (c) => {
    const who = person(c);
    c.state.messages[who].muted = false;
    return [`Open Messages, press ${who} long, then choose Mute.`, skill.threadMenu(who, 'Mute')];
  }),
  told('told-switch', (c) => {
    const name = anySwitch(c);
    const on = !c.state.switches[name];
    return [
      `Open Settings, find ${name} in its section, then turn it ${on ? 'on' : 'off'}.`,
      skill.setSwitch(name, on),
    ];
  }),
  told('told-note', (c) => {
    const title = noteTitle(c);
    return [`Open Notes, press ${title} long, then choose Delete.`, skill.noteMenu(title, 'Delete')];
  }),
  told('told-like', (c) => {
    const { name } = song(c);
    return [`Open Music, open ${name}, then press Like.`, skill.likeSong(name)];
  }),
  told('told-cart', (c) => {
    const [{ name }, size] = [product(c), c.random.pick(sizes)];
    return [`Open Shop, open the ${name}, choose ${size}, then press Add to cart.`, skill.addToCart(name, size)];
  }),
  told('told-place', (c) => {
    const { name } = place(c);
    return [`Open Map, tap the pin ${name}, then press Save.`, skill.savePlace(name)];
  }),
  told('told-event', (c) => {
    const [title, day, hour] = [newTitle(c), c.random.pick(days), c.random.pick(hours)];
    return [
      `Open Calendar, press New event, write "${title}" as its title, choose ${day} and ${hour}, then press Save.`,
      skill.addEvent(title, day, hour),
    ];
  }),
  told(
    'told-play',
    (c) => {
      const { name } = song(c);
      return [`Open Music, open ${name}, then press Play.`, skill.playSong(name)];
    },
    true,
  ),
  told(
    'told-book',
    (c) => {
      const chosen = show(c);
      const [hour, count] = [c.random.pick(chosen.hours), c.random.pick(seats)];
      return [
        `Open Tickets, open ${chosen.name}, choose ${hour} and ${count} seats, then press Book and confirm.`,
        skill.bookShow(chosen.name, hour, count),
      ];
    },
    true,
  ),
];
