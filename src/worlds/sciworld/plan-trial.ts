/**
 * Trial of an oracle's plan: a copy of the world, the actions executed in it, and navigation in the house. It depends
 * on the simulator's action texts and the map; independent of tasks.
 */

import { everyThing, readScene } from './scene.ts';
import type { SciWorldSimulator } from './simulator.ts';
import type { SciWorldThing } from './view-data.ts';

/** Limit for plans with actions that take no move; otherwise the step limit ends a plan first. */
const MAX_ACTIONS = 200;

/** Map of the house, the same in every variation: the two rooms of each door. */
const doors: readonly (readonly [string, string])[] = [
  ['kitchen', 'hallway'],
  ['living room', 'hallway'],
  ['bedroom', 'hallway'],
  ['bathroom', 'kitchen'],
  ['workshop', 'hallway'],
  ['greenhouse', 'hallway'],
  ['art studio', 'hallway'],
  ['kitchen', 'outside'],
  ['greenhouse', 'outside'],
  ['foundry', 'outside'],
];

export class PlanFailure extends Error {}

/** Copy of a world in which a plan is tried, and the actions executed so far. */
export class PlanTrial {
  readonly actions: string[] = [];
  constructor(
    readonly simulator: SciWorldSimulator,
    readonly world: number,
    /** Number of moves after which an episode ends. */
    readonly stepLimit: number,
  ) {}

  act(action: string): string {
    if (this.actions.length === MAX_ACTIONS) throw new PlanFailure('too many actions');
    if (this.simulator.moves(this.world) > this.stepLimit) throw new PlanFailure('too many moves');
    this.actions.push(action);
    const answer = this.simulator.step(this.world, action);
    if (this.simulator.score(this.world) < 0) throw new PlanFailure(`${action} fails the task`);
    return answer;
  }

  /** Executes an action. If the simulator asks which of several things is meant, the first is chosen. */
  do(action: string): string {
    const answer = this.act(action);
    return this.simulator.pending(this.world) > 0 ? this.act('0') : answer;
  }

  /** True if the action does not fail the task, tested in a second copy. */
  isRight(action: string): boolean {
    const saved = this.simulator.create();
    this.simulator.copy(this.world, saved);
    this.simulator.step(saved, action);
    const right = this.simulator.score(saved) >= 0;
    this.simulator.discard(saved);
    return right;
  }

  /** True if an action can refer to the thing from here, tested in a second copy. */
  canName(thing: string): boolean {
    const saved = this.simulator.create();
    this.simulator.copy(this.world, saved);
    const answer = this.simulator.step(saved, `look at ${thing}`);
    this.simulator.discard(saved);
    return !answer.startsWith('No known action');
  }

  /** Number of ordered subgoals reached. */
  stage(): number {
    return Number.parseInt(this.simulator.progress(this.world), 10);
  }

  /** Name of the thing's direct container. */
  holderOf(thing: string): string {
    const tree = this.simulator.tree(this.world);
    const at = tree.findIndex(({ name }) => name === thing);
    const holder = tree.slice(0, Math.max(at, 0)).findLast(({ depth }) => depth === tree[at].depth - 1);
    if (!holder) throw new PlanFailure(`${thing} is not here`);
    return holder.name;
  }

  description(): string {
    return this.simulator.description(this.world);
  }

  get completed(): boolean {
    return this.simulator.completed(this.world);
  }

  look(): string {
    return this.simulator.look(this.world);
  }

  room(): string {
    return /(?:room|location) is called the ([^.]+)\./.exec(this.look())?.[1] ?? '';
  }

  /** Original names of all things in the room, at any depth, including the agent's. */
  names(): string[] {
    return this.simulator.tree(this.world).map(({ name }) => name);
  }

  /** All things in the room and in the inventory, with their states. */
  things(): SciWorldThing[] {
    const { things, inventory } = readScene(this.simulator.scene(this.world), null);
    return everyThing([...things, ...inventory]);
  }

  goTo(target: string): void {
    for (const next of route(this.room(), target)) {
      if (this.look().includes(`door to the ${next} (that is closed)`)) this.act(`open door to ${next}`);
      this.act(`go to ${next}`);
    }
    if (this.room() !== target) throw new PlanFailure(`no way to the ${target}`);
  }
}

/** Rooms on the shortest path, by breadth-first search, without `from`. */
function route(from: string, to: string): string[] {
  const before = new Map<string, string>([[from, '']]);
  const queue = [from];
  for (const here of queue)
    for (const [a, b] of doors) {
      const next = a === here ? b : b === here ? a : null;
      if (next === null || before.has(next)) continue;
      before.set(next, here);
      queue.push(next);
    }
  if (!before.has(to)) throw new PlanFailure(`there is no ${to}`);
  const path: string[] = [];
  for (let here = to; here !== from; here = before.get(here)!) path.unshift(here);
  return path;
}

export type Plan = (trial: PlanTrial) => void;
