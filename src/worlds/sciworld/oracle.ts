/**
 * Oracles with a plan for each task. A plan runs in a copy of the world, so that it can observe the results of its
 * actions; it counts only if the copy ends completed within the step limit. These plans know the answers; plans with
 * plants are in a file of their own. They use the simulator's action texts; independent of batches.
 *
 * Long because each of the thirty tasks has a plan of its own, independent of the others.
 */

import { longLived, otherAnimals, shortLived } from './named-things.ts';
import { type Plan, Rehearsal, Stuck } from './plan-trial.ts';
import { growFruit, growPlant, plantStages } from './plant-plans.ts';
import type { SciWorldSimulator } from './simulator.ts';

const boxOf = (r: Rehearsal) => /move it to the (\w+ box) in the ([\w ]+)\./.exec(r.simulator.description(r.world))!;

const animals = [...longLived, ...otherAnimals];

/** Last thing in the room with one of these names. Things that the agent carries come last in the list. */
function oneOf(r: Rehearsal, wanted: readonly string[]): string {
  const found = r.names().findLast((name) => wanted.includes(name));
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

/** Goes to a room, with or without looking around. */
export type Arrival = (r: Rehearsal, room: string) => void;
const walk: Arrival = (r, room) => r.goTo(room);

export const findAnimal =
  (arrive: Arrival): Plan =>
  (r) => {
    arrive(r, 'outside');
    const animal = oneOf(r, animals);
    r.act(`focus on ${animal}`);
    carryToBox(r, animal);
  };

const plantName = /^(apple|avocado|banana|cherry|lemon|orange|peach|pea) (tree|plant)$/;

/** Goes to the room and waits once at the start of an episode: plants get their names in the first tick. */
export const waitForNames: Arrival = (r, room) => {
  r.goTo(room);
  if (r.simulator.moves(r.world) === 0) r.act('wait1');
};

export const findPlant =
  (arrive: Arrival): Plan =>
  (r) => {
    arrive(r, 'greenhouse');
    const plant = r.names().findLast((name) => plantName.test(name));
    if (!plant) throw new Stuck('no plant is here');
    r.act(`focus on ${plant}`);
    carryToBox(r, plant);
  };

/** Uses the orange that the agent carries, which counts as non-living. */
const findNonLiving: Plan = (r) => {
  const [, box, room] = boxOf(r);
  r.act('focus on orange in inventory');
  r.goTo(room);
  r.act(`move orange in inventory to ${box}`);
};

export const lifespan =
  (arrive: Arrival, ...lists: readonly (readonly string[])[]): Plan =>
  (r) => {
    arrive(r, 'outside');
    for (const list of lists) r.act(`focus on ${oneOf(r, list)}`);
  };

/** Focuses on the animal, waits until its description changes, and focuses again. */
const lifeStages: Plan = (r) => {
  const animal = /life stages of the ([\w ]+), starting/.exec(r.simulator.description(r.world))![1];
  r.goTo('outside');
  while (!r.completed) {
    r.act(`focus on ${animal === 'toad' ? 'common toad' : animal}`);
    const before = r.look();
    for (let k = 0; k < 12 && r.look() === before && !r.completed; k++) r.act('wait1');
  }
};

// ---- measuring and sorting: the oracle knows the answers ------------------------------------------------------------------------------

const useThermometer: Plan = (r) => {
  const text = r.description();
  const [, thing, room] = /temperature of ([\w ]+), which is located around the ([\w ]+)\./.exec(text)!;
  const boxes = boxesToMoveTo(r);
  const boxRoom = /boxes are located around the ([\w ]+)\./.exec(text)![1];
  r.goTo('kitchen');
  r.do('pick up thermometer');
  r.do('focus on thermometer');
  r.goTo(room);
  r.do(`focus on ${thing}`);
  r.do(`use thermometer on ${thing}`);
  r.do(`pick up ${thing}`);
  r.goTo(boxRoom);
  const move = (box: string) => `move ${thing} in inventory to ${box}`;
  r.act(move(boxes.find((box) => r.isRight(move(box))) ?? boxes[0]));
};

/** Opens fridge, freezer and cupboard until the thing is within reach. */
export function reachInKitchen(r: Rehearsal, thing: string): void {
  for (const place of ['fridge', 'freezer', 'cupboard']) if (!r.canName(thing)) r.act(`open ${place}`);
}

const meltingPoint: Plan = (r) => {
  const text = r.description();
  const thing = /melting point of ([\w ]+), which/.exec(text)![1];
  const boxes = [...text.matchAll(/focus on the (\w+ box)/g)].map((m) => m[1]);
  r.goTo('kitchen');
  r.do('focus on thermometer');
  reachInKitchen(r, thing);
  if (!r.canName(thing)) fetchWater(r, 'glass cup');
  r.do(`focus on ${thing}`);
  r.act(`focus on ${boxes.find((box) => r.isRight(`focus on ${box}`)) ?? boxes[0]}`);
};

/** Fills a vessel at the kitchen's sink (the bathroom's if it is broken) and picks it up. */
function fetchWater(r: Rehearsal, vessel: string): void {
  r.goTo('kitchen');
  if (!r.canName(vessel)) r.act('open cupboard');
  r.do(`move ${vessel} to sink`);
  if (r.act('activate sink').includes('broken')) {
    r.do(`pick up ${vessel}`);
    r.goTo('bathroom');
    r.do(`move ${vessel} in inventory to sink`);
    r.act('activate sink');
  }
  r.act('deactivate sink');
  r.do(`pick up ${vessel}`);
}

/** Boxes in the task's description, in its order. */
export const boxesToMoveTo = (r: Rehearsal) =>
  [...r.description().matchAll(/place it in the (\w+ box)/g)].map((m) => m[1]);

const waterConductivity: Plan = (r) => {
  const boxes = boxesToMoveTo(r);
  fetchWater(r, 'glass cup');
  r.do('focus on water in glass cup');
  r.goTo('workshop');
  const move = (box: string) => `pour glass cup in inventory into ${box}`;
  r.act(move(boxes.find((box) => r.isRight(move(box))) ?? boxes[0]));
};

const conductivity: Plan = (r) => {
  const text = r.description();
  if (text.includes('if water is')) return waterConductivity(r);
  const [, thing, room] = /\. The (.+) is located around the ([\w ]+)\./.exec(text)!;
  const boxes = boxesToMoveTo(r);
  r.goTo(room);
  r.do(`focus on ${thing}`);
  if (room !== 'workshop') r.do(`pick up ${thing}`);
  r.goTo('workshop');
  const move = (box: string) => `move ${thing}${room === 'workshop' ? '' : ' in inventory'} to ${box}`;
  r.act(move(boxes.find((box) => r.isRight(move(box))) ?? boxes[0]));
};

// ---- circuits -----------------------------------------------------------------------------------------------------------------------

function wire(r: Rehearsal, source: string, part: string, wires: readonly string[]): void {
  r.do(`connect ${source} anode to ${wires[0]} terminal 1`);
  r.do(`connect ${wires[0]} terminal 2 to ${part} cathode`);
  r.do(`connect ${source} cathode to ${wires[1]} terminal 1`);
  r.do(`connect ${wires[1]} terminal 2 to ${part} anode`);
  for (let k = 0; k < 4 && !r.completed; k++) r.act('wait1');
}

const partOf = (r: Rehearsal) => /turn on the ([\w ]+?)(?: by powering|\.)/.exec(r.description())![1];
const wiresHere = (r: Rehearsal) => r.names().filter((name) => name.endsWith(' wire'));

const powerWithBattery: Plan = (r) => {
  r.goTo('workshop');
  const part = partOf(r);
  r.do(`focus on ${part}`);
  wire(r, 'battery', part, wiresHere(r));
};

const powerAsAsked: Plan = (r) => {
  const renewable = r.description().includes('using a renewable');
  r.goTo('workshop');
  const part = partOf(r);
  r.do(`focus on ${part}`);
  const source = oneOf(r, renewable ? ['solar panel', 'wind generator'] : ['gas generator', 'nuclear generator']);
  const wires = wiresHere(r).slice(0, 2);
  if (renewable) {
    for (const thing of [source, part, ...wires]) r.do(`pick up ${thing}`);
    r.goTo('outside');
    for (const thing of [source, part, ...wires]) r.do(`put down ${thing}`);
  } else r.act(`activate ${source}`);
  wire(r, source, part, wires);
};

// ---- mixing -------------------------------------------------------------------------------------------------------------------------

const parts: Record<string, [string, string]> = {
  'green paint': ['blue', 'yellow'],
  'orange paint': ['red', 'yellow'],
  'violet paint': ['red', 'blue'],
};
const thirds: Record<string, string> = {
  'green-blue paint': 'blue',
  'yellow-green paint': 'yellow',
  'red-orange paint': 'red',
  'yellow-orange paint': 'yellow',
  'violet-red paint': 'red',
  'blue-violet paint': 'blue',
};

function mixSecondary(r: Rehearsal, colour: string): void {
  const [a, b] = parts[colour];
  r.goTo('art studio');
  r.do(`pour wood cup containing ${a} paint into wood cup containing ${b} paint`);
  r.do(`mix wood cup containing ${[a, b].sort().join(' paint and ')} paint`);
  r.do(`focus on ${colour}`);
}

const secondaryColour: Plan = (r) => mixSecondary(r, /create ([\w -]+? paint)\./.exec(r.description())![1]);

const tertiaryColour: Plan = (r) => {
  const text = r.description();
  const wanted = /create ([\w -]+? paint)\./.exec(text)![1];
  const between = /focus on the ([\w -]+? paint)\.$/.exec(text)![1];
  mixSecondary(r, between);
  const third = thirds[wanted];
  r.do('open large cupboard');
  r.do(`pour wood cup containing ${third} paint in large cupboard into wood cup containing ${between}`);
  r.do(`mix wood cup containing ${[between, `${third} paint`].sort().join(' and ')}`);
  r.do(`focus on ${wanted}`);
};

const recipes: Record<string, string[]> = {
  'salt water': ['sodium chloride', 'water'],
  'soapy water': ['soap', 'water'],
  'mixed nuts': ['peanut', 'almond', 'cashew'],
  'sodium acetate': ['acetic acid', 'sodium bicarbonate'],
  'banana sandwich': ['banana', 'bread'],
  'blue paper': ['paper', 'blue paint'],
  'peanut butter sandwich': ['peanut', 'bread'],
  'peanut butter with jam sandwich': ['peanut', 'jam', 'bread'],
  smores: ['chocolate', 'marshmallow'],
  dough: ['flour', 'water'],
  'fruit salad': ['apple', 'orange', 'banana'],
  'jam sandwich': ['jam', 'bread'],
  'sugar water': ['sugar', 'water'],
  'peanut butter with banana sandwich': ['peanut', 'banana', 'bread'],
  rust: ['iron block', 'water'],
  'red paper': ['paper', 'red paint'],
};

export const chemistryMix =
  (arrive: Arrival): Plan =>
  (r) => {
    const [, result, room] = /substance '([\w ]+)'.*found near the (\w+)\./.exec(r.description())!;
    arrive(r, room);
    mixed(r, result, recipes[result]);
  };

/** Mixes the ingredients, starting in the room with the dry ones. */
function mixed(r: Rehearsal, result: string, ingredients: readonly string[]): void {
  const paint = ingredients.find((name) => name.endsWith(' paint'));
  const dry = ingredients.filter((name) => name !== 'water' && name !== paint);
  for (const name of dry) {
    if (!r.canName(name)) r.do('open glass jar');
    r.do(`pick up ${name}`);
  }
  r.goTo(paint ? 'art studio' : 'kitchen');
  const cup = paint ? `wood cup containing ${paint}` : 'glass cup';
  for (const name of dry) r.do(`move ${name} in inventory to ${cup}`);
  if (ingredients.includes('water')) {
    r.do('move glass cup to sink');
    r.act('activate sink');
    r.act('deactivate sink');
  }
  r.do(`mix ${paint ? `wood cup containing ${ingredients.slice().sort().join(' and ')}` : 'glass cup'}`);
  r.do(`focus on ${result}`);
}

// ---- changes of state: a furnace and a cold freezer, whatever the substance ----------------------------------------------------------

const inWorkshop = ['rubber', 'lead', 'tin', 'mercury', 'gallium', 'caesium'];

/** Things to put into the metal pot, which conducts heat and does not burn. */
type Potted = 'ice' | 'solids' | 'all';

/** Focuses on the substance and picks it up; returns the name of the vessel, or of the substance if there is none. */
function fetch(r: Rehearsal, thing: string, pots: Potted): string {
  if (thing === 'water') {
    fetchWater(r, 'metal pot');
    r.do('focus on water in metal pot');
    return 'metal pot';
  }
  const pot = () => {
    r.goTo('kitchen');
    r.act('open cupboard');
    r.do('pick up metal pot');
  };
  const solid = ['rubber', 'ice', 'chocolate', 'marshmallow', 'soap'].includes(thing);
  const potted = thing === 'ice' || pots === 'all' || (pots === 'solids' && solid);
  if (potted) pot();
  r.goTo(inWorkshop.includes(thing) ? 'workshop' : 'kitchen');
  reachInKitchen(r, thing);
  r.do(`focus on ${thing}`);
  if (!solid) {
    const vessel = r.holderOf(thing);
    r.do(potted ? `pour ${vessel} containing ${thing} into metal pot` : `pick up ${vessel} containing ${thing}`);
    return potted ? 'metal pot' : vessel;
  }
  r.do(potted ? `move ${thing} to metal pot in inventory` : `pick up ${thing}`);
  return potted ? 'metal pot' : thing;
}

/** Waits until the given number of subgoals is reached. The plan fails if the moves run out first. */
function until(r: Rehearsal, stage: number): void {
  while (r.stage() < stage) r.act('wait1');
}

interface Device {
  name: string;
  room: string;
}
const stove = { name: 'stove', room: 'kitchen' };
const oven = { name: 'oven', room: 'kitchen' };
const furnace = { name: 'blast furnace', room: 'foundry' };
const freezer = { name: 'ultra low temperature freezer', room: 'workshop' };

function into(r: Rehearsal, { room, name }: Device, carried: string): void {
  r.goTo(room);
  if (name !== 'stove') r.act(`open ${name}`);
  r.do(`move ${carried} in inventory to ${name}`);
}

function heat(r: Rehearsal, carried: string, stage: number, heater: Device = furnace): void {
  if (r.stage() >= stage) return;
  into(r, heater, carried);
  if (r.act(`activate ${heater.name}`).includes('broken')) throw new Stuck(`the ${heater.name} is broken`);
  until(r, stage);
}

function cool(r: Rehearsal, carried: string, stage: number): void {
  if (r.stage() >= stage) return;
  into(r, freezer, carried);
  until(r, stage);
}

const substanceOf = (r: Rehearsal) => /(?:boil|melt|freeze|state of matter of) ([\w ]+)\. /.exec(r.description())![1];

const boil =
  (pots: Potted): Plan =>
  (r) =>
    heat(r, fetch(r, substanceOf(r), pots), 3);
const changeState: Plan = boil('ice');

const melt: Plan = (r) => {
  const carried = fetch(r, substanceOf(r), 'ice');
  if (r.stage() < 2) {
    cool(r, carried, 2);
    r.do(`pick up ${carried} in ${freezer.name}`);
  }
  heat(r, carried, 3);
};

/** A gentle heater comes first: cooling then takes less time, and a furnace ignites things that a stove only melts. */
const freeze =
  (heater: Device, pots: Potted): Plan =>
  (r) => {
    const carried = fetch(r, substanceOf(r), pots);
    if (r.stage() < 2) {
      heat(r, carried, 2, heater);
      r.do(`pick up ${carried} in ${heater.name}`);
    }
    cool(r, carried, 3);
  };

// ---- answers that are only named: the experiment is left out -------------------------------------------------------------------------

function focusOnRight(r: Rehearsal, candidates: readonly string[]): void {
  const right = candidates.find((name) => r.isRight(`focus on ${name}`));
  if (!right) throw new Stuck(`none of ${candidates.join(', ')} is right`);
  r.do(`focus on ${right}`);
}

/** "(steel, glass)" or "(B, C)": surfaces or letters. */
const rightPlane: Plan = (r) => {
  const names = /inclined planes \(([^)]+)\)/.exec(r.description())![1].split(', ');
  r.goTo('workshop');
  focusOnRight(
    r,
    names.map((name) =>
      /^inclined plane/.test(name)
        ? name
        : /^[A-Z]$/.test(name)
          ? `inclined plane ${name}`
          : `inclined plane with a ${name} surface`,
    ),
  );
};

const dominance: Plan = (r) => {
  r.goTo('greenhouse');
  focusOnRight(
    r,
    [...r.description().matchAll(/focus on the (\w+ box)/g)].map((m) => m[1]),
  );
};

/** Plans for each task, most promising first. */
const plans: Record<string, Plan | readonly Plan[]> = {
  boil: [boil('ice'), boil('all')],
  melt,
  freeze: [stove, oven, furnace].flatMap((heater) => [freeze(heater, 'solids'), freeze(heater, 'all')]),
  'change-the-state-of-matter-of': changeState,
  'use-thermometer': useThermometer,
  'measure-melting-point-known-substance': meltingPoint,
  'measure-melting-point-unknown-substance': meltingPoint,
  'power-component': powerWithBattery,
  'power-component-renewable-vs-nonrenewable-energy': powerAsAsked,
  'test-conductivity': conductivity,
  'test-conductivity-of-unknown-substances': conductivity,
  'chemistry-mix': chemistryMix(walk),
  'chemistry-mix-paint-secondary-color': secondaryColour,
  'chemistry-mix-paint-tertiary-color': tertiaryColour,
  'find-animal': findAnimal(walk),
  'find-living-thing': findAnimal(walk),
  'find-plant': findPlant(waitForNames),
  'find-non-living-thing': findNonLiving,
  'lifespan-longest-lived': lifespan(walk, longLived),
  'lifespan-shortest-lived': lifespan(walk, shortLived),
  'lifespan-longest-lived-then-shortest-lived': lifespan(walk, longLived, shortLived),
  'identify-life-stages-1': lifeStages,
  'identify-life-stages-2': plantStages,
  'grow-plant': growPlant,
  'grow-fruit': growFruit,
  'inclined-plane-determine-angle': rightPlane,
  'inclined-plane-friction-named-surfaces': rightPlane,
  'inclined-plane-friction-unnamed-surfaces': rightPlane,
  'mendelian-genetics-known-plant': dominance,
  'mendelian-genetics-unknown-plant': dominance,
};

export const tasksWithOracle: readonly string[] = Object.keys(plans);

/**
 * Actions that complete the task from here, or null. `copy`: a world to try plans in. `instead`: plans tried before
 * those that know the answer.
 */
export function planOf(
  simulator: SciWorldSimulator,
  world: number,
  copy: number,
  task: string,
  stepLimit: number,
  instead: { readonly [task: string]: Plan } = {},
): string[] | null {
  for (const plan of [instead[task] ?? [], plans[task] ?? []].flat()) {
    simulator.copy(world, copy);
    const rehearsal = new Rehearsal(simulator, copy, stepLimit);
    if (succeeds(plan, rehearsal)) return rehearsal.actions;
  }
  return null;
}

function succeeds(plan: Plan, rehearsal: Rehearsal): boolean {
  try {
    plan(rehearsal);
  } catch (error) {
    if (!(error instanceof Stuck)) throw error;
  }
  return rehearsal.completed;
}
