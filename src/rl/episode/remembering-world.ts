/** A world whose answers carry its memory of the episode, for windows that begin with it (window.ts). */
import type { Feedback, World } from '../../envs/env.ts';

/** Adds the memory to the answers of episodes that go on. */
async function withMemory(world: World, slots: readonly number[], feedback: Feedback[], signal?: AbortSignal) {
  return Promise.all(
    feedback.map(async (each, i) => {
      if (each.done || each.failure !== undefined) return each;
      return { ...each, memory: String((await world.inspect?.(slots[i], 'memory', signal)) ?? '').trim() };
    }),
  );
}

/** The world with another `step`. Everything else is the world's own. */
const remembering = (world: World): World =>
  new Proxy(world, {
    get(target, name) {
      if (name === 'step') {
        const step: World['step'] = async (slots, actions, signal) =>
          withMemory(target, slots, await target.step(slots, actions, signal), signal);
        return step;
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

export const rememberingWorlds = (worlds: ReadonlyMap<string, World>): ReadonlyMap<string, World> =>
  new Map([...worlds].map(([name, world]) => [name, world.describe().hasMemory ? remembering(world) : world]));
