/**
 * Bounds on the texts between a policy and a world, for every world and every caller: page, server and command line. A
 * longer action never reaches the world, whose parser may take time that grows faster than the text. A longer
 * observation is cut. A character is a code point, as in the worlds' Python originals.
 */
import type { Feedback, World } from './env.ts';

/** Maximum number of characters of an action. */
export const MOST_ACTION = 10_000;
/** Maximum number of characters of an observation. */
export const MOST_OBSERVATION = 1_000_000;

const count = (value: number) => value.toLocaleString('en');

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

/** True if the UTF-16 unit at `i` is the second half of a character. */
const isSecondHalf = (text: string, i: number) =>
  i > 0 && isLowSurrogate(text.charCodeAt(i)) && isHighSurrogate(text.charCodeAt(i - 1));

function characters(text: string): number {
  let halves = 0;
  for (let i = 1; i < text.length; i++) if (isSecondHalf(text, i)) halves++;
  return text.length - halves;
}

const isLonger = (text: string, most: number) => text.length > most && characters(text) > most;

/** The first `most` characters of a text. */
function firstCharacters(text: string, most: number): string {
  let left = most;
  for (let i = 0; i < text.length; i++) if (!isSecondHalf(text, i) && left-- === 0) return text.slice(0, i);
  return text;
}

/** The world's answer to an action that is too long: it is refused, and the world stays as it is. */
const refusal = (action: string): Feedback => ({
  observation: `The action has ${count(characters(action))} characters, and ${count(MOST_ACTION)} is the most: it was not taken. Send a shorter one.`,
  reward: 0,
  done: false,
  valid: false,
  validActions: null,
});

function bounded(feedback: Feedback): Feedback {
  const { observation } = feedback;
  if (!isLonger(observation, MOST_OBSERVATION)) return feedback;
  const note = `\n[The observation has ${count(characters(observation))} characters; it is cut after ${count(MOST_OBSERVATION)}.]`;
  return { ...feedback, observation: firstCharacters(observation, MOST_OBSERVATION) + note };
}

/** The world with bounded texts. Everything else is the world's own. */
export function withTextBounds(world: World): World {
  const reset: World['reset'] = async (...call) => (await world.reset(...call)).map(bounded);
  const step: World['step'] = async (slots, actions, signal) => {
    const isRead = (k: number) => !isLonger(actions[k], MOST_ACTION);
    const read = [...slots.keys()].filter(isRead);
    if (read.length === slots.length) return (await world.step(slots, actions, signal)).map(bounded);
    const answers = read.length
      ? await world.step(
          read.map((k) => slots[k]),
          read.map((k) => actions[k]),
          signal,
        )
      : [];
    const found = new Map(read.map((k, i) => [k, answers[i]]));
    return [...slots.keys()].map((k) => bounded(found.get(k) ?? refusal(actions[k])));
  };
  return new Proxy(world, {
    get(target, name) {
      if (name === 'step') return step;
      if (name === 'reset') return reset;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
