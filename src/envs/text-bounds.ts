/**
 * Bounds on the texts between a policy and a world, for every world and every caller: page, server and command line. A
 * longer action never reaches the world, whose parser may take time that grows faster than the text. A longer
 * observation is cut.
 */
import type { Feedback, World } from './env.ts';

/** Most characters of an action. */
export const MOST_ACTION = 10_000;
/** Most characters of an observation. */
export const MOST_OBSERVATION = 1_000_000;

const count = (value: number) => value.toLocaleString('en');

/** The world's answer to an action that is too long: it is refused, and the world stays as it is. */
const refusal = (action: string): Feedback => ({
  observation: `The action has ${count(action.length)} characters, and ${count(MOST_ACTION)} is the most: it was not taken. Send a shorter one.`,
  reward: 0,
  done: false,
  valid: false,
  validActions: null,
});

function bounded(feedback: Feedback): Feedback {
  const { observation } = feedback;
  if (observation.length <= MOST_OBSERVATION) return feedback;
  const note = `\n[The observation has ${count(observation.length)} characters; it is cut after ${count(MOST_OBSERVATION)}.]`;
  return { ...feedback, observation: observation.slice(0, MOST_OBSERVATION) + note };
}

/** The world with bounded texts. Everything else is the world's own. */
export function withTextBounds(world: World): World {
  const reset: World['reset'] = async (...call) => (await world.reset(...call)).map(bounded);
  const step: World['step'] = async (slots, actions, signal) => {
    const isRead = (k: number) => actions[k].length <= MOST_ACTION;
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
