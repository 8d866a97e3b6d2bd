/** Sentences for changes of a phone's state, in the words of the templates. */
import type { Difference, PhoneState } from '../state.ts';

/** A name with a capital. */
export const named = ([first, ...rest]: string) => `${first.toUpperCase()}${rest.join('')}`;
const turn = (on: boolean) => (on ? 'Turn on' : 'Turn off');

type Rule = (name: string, part: string, before: PhoneState, after: PhoneState) => string | null;

const inMessages: Rule = (who, part, before, after) => {
  const thread = after.messages[who];
  if (!thread) return `Delete the conversation with ${who}.`;
  if (part === 'muted') return `${thread.muted ? 'Mute' : 'Unmute'} the conversation with ${who}.`;
  if (part === 'pinned') return `${thread.pinned ? 'Pin' : 'Unpin'} the conversation with ${who}.`;
  const text = thread.log.length === before.messages[who].log.length + 1 && /^me: (.*)$/s.exec(thread.log.at(-1)!);
  return text ? `Send ${who} the message "${text[1]}".` : null;
};

const inCalendar: Rule = (key, part, before, after) => {
  const [old, now] = [before.calendar[key], after.calendar[key]];
  if (!old) return `Add the event "${now.title}" on ${now.day} at ${now.hour}.`;
  if (!now) return `Delete the event ${old.title} on ${old.day}.`;
  return part === 'reminder' ? `${turn(now.reminder)} the reminder of ${now.title} on ${now.day}.` : null;
};

const inNotes: Rule = (title, part, before, after) => {
  const [old, now] = [before.notes[title], after.notes[title]];
  if (!old) return `Write a note with the title "${title}" and the text "${now.text}".`;
  if (!now) return `Delete the note ${title}.`;
  return part === 'pinned' ? `${now.pinned ? 'Pin' : 'Unpin'} the note ${title}.` : null;
};

const inShop: Rule = (list, thing, _before, { shop }) => {
  if (list === 'wishes') return thing in shop.wishes ? `Add the ${thing} to the wishes.` : null;
  const size = /^(.+) (\w+)$/.exec(thing);
  return list === 'cart' && size && thing in shop.cart ? `Put the ${size[1]} of size ${size[2]} into the cart.` : null;
};

const inMap: Rule = (what, name, _before, { map }) => {
  if (what === 'route') return `Start a route to ${map.route}.`;
  return name in map.saved ? `Save the place ${name} on the map.` : null;
};

const inMusic: Rule = (what, name, before, { music }) => {
  if (what === 'playing') return music.playing ? `Play the song ${music.playing}.` : null;
  if (what === 'liked') return `${name in music.liked ? 'Like' : 'Unlike'} the song ${name}.`;
  const songs = Object.keys(music.playlists[name]).filter((song) => !(song in before.music.playlists[name]));
  return songs.length === 1 ? `Add the song ${songs[0]} to the playlist ${name}.` : null;
};

const rules: { readonly [area: string]: Rule } = {
  ...{ messages: inMessages, calendar: inCalendar, notes: inNotes, shop: inShop, map: inMap, music: inMusic },
  switches: (name, _part, _before, { switches }) => `${turn(switches[name])} ${name}.`,
  levels: (name, _part, _before, { levels }) => `Set the ${name.toLowerCase()} to ${levels[name]}.`,
  notifications: (app, _part, _before, { notifications }) =>
    `${turn(notifications[app])} the notifications of ${named(app)}.`,
  tickets: (key, _part, before, after) => {
    const show = /^(.+) (\d+)$/.exec(key);
    return show && !(key in before.tickets)
      ? `Book ${after.tickets[key].seats} seats for ${show[1]} at ${show[2]}.`
      : null;
  },
};

/** Areas in which a change is of a thing in a list of the area. */
const nested = new Set(['shop', 'map', 'music']);

/** The goal that a change of the state is; null if it is several changes, or has no sentence. */
export function sentenceOf(change: readonly Difference[], before: PhoneState, after: PhoneState): string | null {
  // To start a route grants the permission that it asks for.
  const parts = change.map(({ path }) => path.split(' › ')).filter(([area]) => area !== 'device');
  const thingOf = ([area, ...rest]: string[]) => rest.slice(0, nested.has(area) ? 2 : 1).join(' › ');
  const first = parts[0];
  if (!first || parts.some((each) => each[0] !== first[0] || thingOf(each) !== thingOf(first))) return null;
  const part = parts.length === 1 ? first : parts.toSorted((a, b) => b.length - a.length)[0];
  return rules[part[0]]?.(part[1], part[2] ?? '', before, after) ?? null;
}
