/**
 * ScienceWorld's items. Ids 0 to 4,638 are AgentGym's: its 23 tasks with all their variations, in its order. The seven
 * tasks that AgentGym leaves out follow (4,639 to 7,206). The split is the original's own, by variation. Independent of
 * the WASM instance.
 */
import { type Split, WorldError } from '../../envs/env.ts';
import type { AgentGymItems } from '../../envs/module.ts';

/** Names of tasks and numbers of their variations. The first 23 are AgentGym's, in the order of its ids. */
const catalogue: readonly (readonly [name: string, variations: number])[] = [
  ['boil', 30],
  ['melt', 30],
  ['freeze', 30],
  ['change-the-state-of-matter-of', 30],
  ['use-thermometer', 540],
  ['measure-melting-point-known-substance', 436],
  ['measure-melting-point-unknown-substance', 300],
  ['power-component', 20],
  ['power-component-renewable-vs-nonrenewable-energy', 20],
  ['test-conductivity', 900],
  ['test-conductivity-of-unknown-substances', 600],
  ['find-living-thing', 300],
  ['find-non-living-thing', 300],
  ['find-plant', 300],
  ['find-animal', 300],
  ['chemistry-mix', 32],
  ['chemistry-mix-paint-secondary-color', 36],
  ['chemistry-mix-paint-tertiary-color', 36],
  ['lifespan-longest-lived', 125],
  ['lifespan-shortest-lived', 125],
  ['lifespan-longest-lived-then-shortest-lived', 125],
  ['identify-life-stages-1', 14],
  ['identify-life-stages-2', 10],
  ['grow-plant', 126],
  ['grow-fruit', 126],
  ['inclined-plane-determine-angle', 168],
  ['inclined-plane-friction-named-surfaces', 1386],
  ['inclined-plane-friction-unnamed-surfaces', 162],
  ['mendelian-genetics-known-plant', 120],
  ['mendelian-genetics-unknown-plant', 480],
];
const AGENTGYM_TASKS = 23;

export interface SciWorldTask {
  name: string;
  variations: number;
  /** Id of variation 0. */
  first: number;
}

export const sciWorldTasks: readonly SciWorldTask[] = (() => {
  let first = 0;
  return catalogue.map(([name, variations]) => {
    const task = { name, variations, first };
    first += variations;
    return task;
  });
})();

export const agentGymTasks = sciWorldTasks.slice(0, AGENTGYM_TASKS);
export const ITEMS = 7207;

export interface Item {
  task: string;
  variation: number;
}

/** Task and variation of an id. */
export function itemOf(id: number): Item {
  if (!Number.isInteger(id) || id < 0 || id >= ITEMS)
    throw new WorldError(`ScienceWorld's item ids must be whole numbers from 0 to ${ITEMS - 1}, not ${id}.`);
  const task = sciWorldTasks.findLast(({ first }) => first <= id)!;
  return { task: task.name, variation: id - task.first };
}

export function idOf(task: string, variation: number): number {
  const found = sciWorldTasks.find(({ name }) => name === task);
  if (!found || variation < 0 || variation >= found.variations)
    throw new WorldError(`ScienceWorld has no variation ${variation} of a task "${task}".`);
  return found.first + variation;
}

/**
 * The original's split of a task's variations: the first half for training, a quarter for development, the rest for the
 * test.
 */
export function variationsOf(split: Split | 'dev', count: number): number[] {
  const quarter = Math.floor(count / 4);
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => from + k);
  if (split === 'train') return range(0, 2 * quarter);
  if (split === 'dev') return range(2 * quarter, 3 * quarter);
  return range(3 * quarter, Math.min(count, 5 * quarter));
}

const agentGymItemCount = agentGymTasks.reduce((sum, { variations }) => sum + variations, 0);
/** AgentGym's held-out ids are not published, so a tenth of each task's variations is held out. */
const isHeldOutUpstream = (item: number) => itemOf(item).variation % 10 === 0;

/** Items of AgentGym's server. */
export const upstreamItems: AgentGymItems = {
  items: (split) =>
    Array.from({ length: agentGymItemCount }, (_, item) => item).filter(
      (item) => isHeldOutUpstream(item) === (split === 'test'),
    ),
  strata: (item) => ({ task: itemOf(item).task }),
};

/** The original's labels, as bits of the simulator (envs-wasm/sciworld/devices.ts). */
const simplificationBits = {
  selfWateringFlowerPots: 1,
  teleportAction: 2,
  noElectricalAction: 4,
  openDoors: 8,
  openContainers: 16,
} as const;
type Simplification = keyof typeof simplificationBits;
export const simplificationLabels: readonly [Simplification | 'easy', ...(Simplification | 'easy')[]] = [
  ...(Object.keys(simplificationBits) as [Simplification, ...Simplification[]]),
  'easy',
];

const isElectrical = (task: string) => task.includes('power-component') || task.includes('conductivity');

/**
 * Bits of a set of simplifications. "easy" means all of them except openContainers, and on electrical tasks also except
 * noElectricalAction.
 */
export function bitsOf(simplifications: readonly string[], task: string): number {
  const easy: Simplification[] = ['selfWateringFlowerPots', 'teleportAction', 'openDoors'];
  if (!isElectrical(task)) easy.push('noElectricalAction');
  const wanted = simplifications.flatMap((label) => (label === 'easy' ? easy : [label as Simplification]));
  if (isElectrical(task) && wanted.includes('noElectricalAction'))
    throw new WorldError(`noElectricalAction makes ${task} impossible: leave that task or that simplification out.`);
  return wanted.reduce((bits, label) => bits | simplificationBits[label], 0);
}

/** Beginnings of actions, for the option that restricts the action list. */
export const sciWorldVerbs = [
  ...[
    'open',
    'close',
    'activate',
    'deactivate',
    'connect',
    'disconnect',
    'use',
    'look',
    'examine',
    'read',
    'move',
    'pick up',
  ],
  ...[
    'put down',
    'pour',
    'dunk',
    'mix',
    'go',
    'teleport',
    'eat',
    'flush',
    'focus on',
    'wait',
    'wait1',
    'task',
    'inventory',
  ],
] as const;
