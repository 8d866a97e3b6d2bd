/**
 * Where an oracle tries its plan: a copy of the world, the actions taken in it, and the way about the house. Knows the simulator's
 * words and the map; knows no task.
 */

import { everyThing, readScene } from './scene.ts';
import type { SciWorldSimulator } from './simulator.ts';
import type { SciWorldThing } from './view-data.ts';

/** Free looks apart, the step limit ends a plan first. */
const MOST_ACTIONS = 200;

/** The map: every door joins two rooms, in every variation. */
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

export class Stuck extends Error {}

/** The copy a plan is tried in, and the actions it took. */
export class Rehearsal {
  readonly actions: string[] = [];
  constructor(
    readonly simulator: SciWorldSimulator,
    readonly world: number,
    /** Moves after which an episode ends. */
    readonly stepLimit: number,
  ) {}

  act(action: string): string {
    if (this.actions.length === MOST_ACTIONS) throw new Stuck('too many actions');
    if (this.simulator.moves(this.world) > this.stepLimit) throw new Stuck('too many moves');
    this.actions.push(action);
    const answer = this.simulator.step(this.world, action);
    if (this.simulator.score(this.world) < 0) throw new Stuck(`${action} fails the task`);
    return answer;
  }

  /** Acts, and where the words mean several things takes the first. */
  do(action: string): string {
    const answer = this.act(action);
    return this.simulator.pending(this.world) > 0 ? this.act('0') : answer;
  }

  /** Does this action, tried in a copy of the copy, keep the task from failing. */
  isRight(action: string): boolean {
    const saved = this.simulator.create();
    this.simulator.copy(this.world, saved);
    this.simulator.step(saved, action);
    const right = this.simulator.score(saved) >= 0;
    this.simulator.discard(saved);
    return right;
  }

  /** Can it be spoken of from here: tried in a copy. */
  canName(thing: string): boolean {
    const saved = this.simulator.create();
    this.simulator.copy(this.world, saved);
    const answer = this.simulator.step(saved, `look at ${thing}`);
    this.simulator.discard(saved);
    return !answer.startsWith('No known action');
  }

  /** Ordered subgoals reached. */
  stage(): number {
    return Number.parseInt(this.simulator.progress(this.world), 10);
  }

  /** Name of what directly holds the thing. */
  holderOf(thing: string): string {
    const tree = this.simulator.tree(this.world);
    const at = tree.findIndex(({ name }) => name === thing);
    const holder = tree.slice(0, Math.max(at, 0)).findLast(({ depth }) => depth === tree[at].depth - 1);
    if (!holder) throw new Stuck(`${thing} is not here`);
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

  /** Raw names of what is in the room at any depth, the agent's things included. */
  names(): string[] {
    return this.simulator.tree(this.world).map(({ name }) => name);
  }

  /** Everything in the room and carried, with its state. */
  things(): SciWorldThing[] {
    const { things, inventory } = readScene(this.simulator.scene(this.world), null);
    return everyThing([...things, ...inventory]);
  }

  goTo(target: string): void {
    for (const next of route(this.room(), target)) {
      if (this.look().includes(`door to the ${next} (that is closed)`)) this.act(`open door to ${next}`);
      this.act(`go to ${next}`);
    }
    if (this.room() !== target) throw new Stuck(`no way to the ${target}`);
  }
}

/** Rooms to pass, by breadth. */
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
  if (!before.has(to)) throw new Stuck(`there is no ${to}`);
  const path: string[] = [];
  for (let here = to; here !== from; here = before.get(here)!) path.unshift(here);
  return path;
}

export type Plan = (r: Rehearsal) => void;
