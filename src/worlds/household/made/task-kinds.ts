/**
 * Kinds of tasks: six as in ALFWorld, and three of our own (a house of two rooms; a thing that lies in a closed place; a
 * goal with two conditions). Light, since the options list them.
 */

export const taskKinds = ['pick', 'light', 'clean', 'heat', 'cool', 'two', 'second-room', 'closed', 'both'] as const;
export type TaskKind = (typeof taskKinds)[number];

export const taskLabels: { readonly [kind in TaskKind]: string } = {
  pick: 'Pick and place',
  light: 'Look at in light',
  clean: 'Clean and place',
  heat: 'Heat and place',
  cool: 'Cool and place',
  two: 'Pick two and place',
  'second-room': 'From the second room',
  closed: 'From a closed place',
  both: 'Two conditions',
};
