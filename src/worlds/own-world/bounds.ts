/** Bounds of a world that a person typed. */

/** Maximum number of characters of the code. */
export const longestWorldCode = 65_536;

/** Maximum number of characters of texts, of actions and tasks, and of characters of an answer as JSON. */
export const most = {
  text: 20_000,
  action: 300,
  actions: 1000,
  tasks: 10_000,
  /** Length of a task as JSON. */
  task: 4000,
  answer: 4_000_000,
  /** Length of an oracle's plan. */
  plan: 500,
  /** Length of a view as JSON. */
  view: 100_000,
  /** Objects that a sweep makes, and bytes that must then be free. */
  swept: 60_000,
  room: 8 * 2 ** 20,
} as const;

/** Name of the code in messages. */
export const worldFile = 'world.js';
