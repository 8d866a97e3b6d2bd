/**
 * Oracles: a plan a task, played in a copy of the world so that it can look at what it does. A plan is trusted only where the copy
 * ends completed. Tasks without a plan here have none. Knows the simulator's words, no batches.
 */
import type { SciWorldSimulator } from './sciworld-simulator.ts';

const MOST_ACTIONS = 90;

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

class Stuck extends Error {}

/** The copy a plan is tried in, and the actions it took. */
class Rehearsal {
  readonly actions: string[] = [];
  constructor(
    readonly simulator: SciWorldSimulator,
    readonly world: number,
  ) {}

  act(action: string): string {
    if (this.actions.length === MOST_ACTIONS) throw new Stuck('too many actions');
    this.actions.push(action);
    const answer = this.simulator.step(this.world, action);
    if (this.simulator.score(this.world) < 0) throw new Stuck(`${action} fails the task`);
    return answer;
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

type Plan = (r: Rehearsal) => void;

const boxOf = (r: Rehearsal) => /move it to the (\w+ box) in the ([\w ]+)\./.exec(r.simulator.description(r.world))!;

const animals = [
  'butterfly',
  'moth',
  'frog',
  'common toad',
  'giant tortoise',
  'turtle',
  'crocodile',
  'parrot',
  'dove',
  'blue jay',
  'elephant',
  'brown bear',
  'beaver',
  'wolf',
];
const longLived = ['giant tortoise', 'parrot', 'elephant', 'crocodile', 'brown bear'];
const shortLived = ['hedgehog', 'mouse', 'chameleon', 'dragonfly', 'ant'];

function firstOf(r: Rehearsal, wanted: readonly string[]): string {
  const found = r.names().find((name) => wanted.includes(name));
  if (!found) throw new Stuck(`none of ${wanted.join(', ')} is here`);
  return found;
}

function carryToBox(r: Rehearsal, thing: string): void {
  const [, box, room] = boxOf(r);
  if (r.room() !== room) {
    r.act(`pick up ${thing}`);
    r.goTo(room);
  }
  r.act(
    `move ${thing.replace(/ in .*$/, '')}${r.room() === room && r.names().includes('bowl') ? ' in inventory' : ''} to ${box}`,
  );
}

const findAnimal: Plan = (r) => {
  r.goTo('outside');
  const animal = firstOf(r, animals);
  r.act(`focus on ${animal}`);
  carryToBox(r, animal);
};

const plantName = /^(apple|avocado|banana|cherry|lemon|orange|peach|pea) (tree|plant)$/;

const findPlant: Plan = (r) => {
  r.goTo('greenhouse');
  // A plant takes its name in the first tick.
  if (r.simulator.moves(r.world) === 0) r.act('wait1');
  const plant = r.names().find((name) => plantName.test(name));
  if (!plant) throw new Stuck('no plant is here');
  r.act(`focus on ${plant}`);
  carryToBox(r, plant);
};

/** The orange the agent carries is no living thing. */
const findNonLiving: Plan = (r) => {
  const [, box, room] = boxOf(r);
  r.act('focus on orange in inventory');
  r.goTo(room);
  r.act(`move orange in inventory to ${box}`);
};

const lifespan =
  (...lists: readonly (readonly string[])[]): Plan =>
  (r) => {
    r.goTo('outside');
    for (const list of lists) r.act(`focus on ${firstOf(r, list)}`);
  };

/** Focuses, waits until the animal looks another, and focuses again. */
const lifeStages: Plan = (r) => {
  const animal = /life stages of the ([\w ]+), starting/.exec(r.simulator.description(r.world))![1];
  r.goTo('outside');
  while (!r.completed) {
    r.act(`focus on ${animal === 'toad' ? 'common toad' : animal}`);
    const before = r.look();
    for (let k = 0; k < 12 && r.look() === before && !r.completed; k++) r.act('wait1');
  }
};

const plans: Record<string, Plan> = {
  'find-animal': findAnimal,
  'find-living-thing': findAnimal,
  'find-plant': findPlant,
  'find-non-living-thing': findNonLiving,
  'lifespan-longest-lived': lifespan(longLived),
  'lifespan-shortest-lived': lifespan(shortLived),
  'lifespan-longest-lived-then-shortest-lived': lifespan(longLived, shortLived),
  'identify-life-stages-1': lifeStages,
};

export const tasksWithOracle: readonly string[] = Object.keys(plans);

/** The actions that complete the task from here, or null. `world` is a copy, and is used up. */
export function planOf(simulator: SciWorldSimulator, world: number, task: string): string[] | null {
  const plan = plans[task];
  if (!plan) return null;
  const rehearsal = new Rehearsal(simulator, world);
  try {
    plan(rehearsal);
  } catch (error) {
    if (!(error instanceof Stuck)) throw error;
    return null;
  }
  return rehearsal.completed ? rehearsal.actions : null;
}
