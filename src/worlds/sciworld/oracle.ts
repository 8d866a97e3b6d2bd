/**
 * Oracles with a plan for each task. A plan runs in a copy of the world, so that it can observe the results of its
 * actions; it counts only if the copy ends completed within the step limit. These plans use the answers, which an agent
 * does not have; plans with plants are in a file of their own. They use the simulator's action texts; independent of
 * batches.
 *
 * Long because each of the thirty tasks has a plan of its own, independent of the others.
 */

import { longLived, otherAnimals, shortLived } from './named-things.ts';
import { type Plan, PlanFailure, PlanTrial } from './plan-trial.ts';
import { growFruit, growPlant, plantStages } from './plant-plans.ts';
import type { SciWorldSimulator } from './simulator.ts';

const boxOf = (trial: PlanTrial) =>
  /move it to the (\w+ box) in the ([\w ]+)\./.exec(trial.simulator.description(trial.world))!;

const animals = [...longLived, ...otherAnimals];

/** Chooses a thing of the room among these names. */
export type Choice = (trial: PlanTrial, wanted: readonly string[]) => string;

/** Last thing in the room with one of these names. Things that the agent carries come last in the list. */
const oneOf: Choice = (trial, wanted) => {
  const found = trial.names().findLast((name) => wanted.includes(name));
  if (!found) throw new PlanFailure(`none of ${wanted.join(', ')} is here`);
  return found;
};

function carryToBox(trial: PlanTrial, thing: string): void {
  const [, box, room] = boxOf(trial);
  if (trial.room() !== room) {
    trial.act(`pick up ${thing}`);
    trial.goTo(room);
  }
  trial.act(
    `move ${thing.replace(/ in .*$/, '')}${trial.room() === room && trial.names().includes('bowl') ? ' in inventory' : ''} to ${box}`,
  );
}

/** Goes to a room, with or without looking around. */
export type Arrival = (trial: PlanTrial, room: string) => void;
const walk: Arrival = (trial, room) => trial.goTo(room);

export const findAnimal =
  (arrive: Arrival, choose: Choice = oneOf): Plan =>
  (trial) => {
    arrive(trial, 'outside');
    const animal = choose(trial, animals);
    trial.act(`focus on ${animal}`);
    carryToBox(trial, animal);
  };

const plantName = /^(apple|avocado|banana|cherry|lemon|orange|peach|pea) (tree|plant)$/;

/** Goes to the room and waits once at the start of an episode: plants get their names in the first tick. */
export const waitForNames: Arrival = (trial, room) => {
  trial.goTo(room);
  if (trial.simulator.moves(trial.world) === 0) trial.act('wait1');
};

export const findPlant =
  (arrive: Arrival): Plan =>
  (trial) => {
    arrive(trial, 'greenhouse');
    const plant = trial.names().findLast((name) => plantName.test(name));
    if (!plant) throw new PlanFailure('no plant is here');
    trial.act(`focus on ${plant}`);
    carryToBox(trial, plant);
  };

/** Uses the orange that the agent carries, which counts as non-living. */
const findNonLiving: Plan = (trial) => {
  const [, box, room] = boxOf(trial);
  trial.act('focus on orange in inventory');
  trial.goTo(room);
  trial.act(`move orange in inventory to ${box}`);
};

export const lifespan =
  (arrive: Arrival, ...lists: readonly (readonly string[])[]): Plan =>
  (trial) => {
    arrive(trial, 'outside');
    for (const list of lists) trial.act(`focus on ${oneOf(trial, list)}`);
  };

/** Focuses on the animal, waits until its description changes, and focuses again. */
const lifeStages: Plan = (trial) => {
  const animal = /life stages of the ([\w ]+), starting/.exec(trial.simulator.description(trial.world))![1];
  trial.goTo('outside');
  while (!trial.completed) {
    trial.act(`focus on ${animal === 'toad' ? 'common toad' : animal}`);
    const before = trial.look();
    for (let k = 0; k < 12 && trial.look() === before && !trial.completed; k++) trial.act('wait1');
  }
};

// ---- measuring and sorting: the plans use the answers ---------------------------------------------------------------

const useThermometer: Plan = (trial) => {
  const text = trial.description();
  const [, thing, room] = /temperature of ([\w ]+), which is located around the ([\w ]+)\./.exec(text)!;
  const boxes = boxesToMoveTo(trial);
  const boxRoom = /boxes are located around the ([\w ]+)\./.exec(text)![1];
  trial.goTo('kitchen');
  trial.do('pick up thermometer');
  trial.do('focus on thermometer');
  trial.goTo(room);
  trial.do(`focus on ${thing}`);
  trial.do(`use thermometer on ${thing}`);
  trial.do(`pick up ${thing}`);
  trial.goTo(boxRoom);
  const move = (box: string) => `move ${thing} in inventory to ${box}`;
  trial.act(move(boxes.find((box) => trial.isRight(move(box))) ?? boxes[0]));
};

/** Opens fridge, freezer and cupboard until the thing is within reach. */
export function reachInKitchen(trial: PlanTrial, thing: string): void {
  for (const place of ['fridge', 'freezer', 'cupboard']) if (!trial.canName(thing)) trial.act(`open ${place}`);
}

const meltingPoint: Plan = (trial) => {
  const text = trial.description();
  const thing = /melting point of ([\w ]+), which/.exec(text)![1];
  const boxes = [...text.matchAll(/focus on the (\w+ box)/g)].map((m) => m[1]);
  trial.goTo('kitchen');
  trial.do('focus on thermometer');
  reachInKitchen(trial, thing);
  if (!trial.canName(thing)) fetchWater(trial, 'glass cup');
  trial.do(`focus on ${thing}`);
  trial.act(`focus on ${boxes.find((box) => trial.isRight(`focus on ${box}`)) ?? boxes[0]}`);
};

/** Fills a vessel at the kitchen's sink (the bathroom's if it is broken) and picks it up. */
function fetchWater(trial: PlanTrial, vessel: string): void {
  trial.goTo('kitchen');
  if (!trial.canName(vessel)) trial.act('open cupboard');
  trial.do(`move ${vessel} to sink`);
  if (trial.act('activate sink').includes('broken')) {
    trial.do(`pick up ${vessel}`);
    trial.goTo('bathroom');
    trial.do(`move ${vessel} in inventory to sink`);
    trial.act('activate sink');
  }
  trial.act('deactivate sink');
  trial.do(`pick up ${vessel}`);
}

/** Boxes in the task's description, in its order. */
export const boxesToMoveTo = (trial: PlanTrial) =>
  [...trial.description().matchAll(/place it in the (\w+ box)/g)].map((m) => m[1]);

const waterConductivity: Plan = (trial) => {
  const boxes = boxesToMoveTo(trial);
  fetchWater(trial, 'glass cup');
  trial.do('focus on water in glass cup');
  trial.goTo('workshop');
  const move = (box: string) => `pour glass cup in inventory into ${box}`;
  trial.act(move(boxes.find((box) => trial.isRight(move(box))) ?? boxes[0]));
};

const conductivity: Plan = (trial) => {
  const text = trial.description();
  if (text.includes('if water is')) return waterConductivity(trial);
  const [, thing, room] = /\. The (.+) is located around the ([\w ]+)\./.exec(text)!;
  const boxes = boxesToMoveTo(trial);
  trial.goTo(room);
  trial.do(`focus on ${thing}`);
  if (room !== 'workshop') trial.do(`pick up ${thing}`);
  trial.goTo('workshop');
  const move = (box: string) => `move ${thing}${room === 'workshop' ? '' : ' in inventory'} to ${box}`;
  trial.act(move(boxes.find((box) => trial.isRight(move(box))) ?? boxes[0]));
};

// ---- circuits -------------------------------------------------------------------------------------------------------

function wire(trial: PlanTrial, source: string, part: string, wires: readonly string[]): void {
  trial.do(`connect ${source} anode to ${wires[0]} terminal 1`);
  trial.do(`connect ${wires[0]} terminal 2 to ${part} cathode`);
  trial.do(`connect ${source} cathode to ${wires[1]} terminal 1`);
  trial.do(`connect ${wires[1]} terminal 2 to ${part} anode`);
  for (let k = 0; k < 4 && !trial.completed; k++) trial.act('wait1');
}

const partOf = (trial: PlanTrial) => /turn on the ([\w ]+?)(?: by powering|\.)/.exec(trial.description())![1];
const wiresHere = (trial: PlanTrial) => trial.names().filter((name) => name.endsWith(' wire'));

const powerWithBattery: Plan = (trial) => {
  trial.goTo('workshop');
  const part = partOf(trial);
  trial.do(`focus on ${part}`);
  wire(trial, 'battery', part, wiresHere(trial));
};

const powerWithGivenSource: Plan = (trial) => {
  const renewable = trial.description().includes('using a renewable');
  trial.goTo('workshop');
  const part = partOf(trial);
  trial.do(`focus on ${part}`);
  const source = oneOf(trial, renewable ? ['solar panel', 'wind generator'] : ['gas generator', 'nuclear generator']);
  const wires = wiresHere(trial).slice(0, 2);
  if (renewable) {
    for (const thing of [source, part, ...wires]) trial.do(`pick up ${thing}`);
    trial.goTo('outside');
    for (const thing of [source, part, ...wires]) trial.do(`put down ${thing}`);
  } else trial.act(`activate ${source}`);
  wire(trial, source, part, wires);
};

// ---- mixing ---------------------------------------------------------------------------------------------------------

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

function mixSecondary(trial: PlanTrial, colour: string): void {
  const [a, b] = parts[colour];
  trial.goTo('art studio');
  trial.do(`pour wood cup containing ${a} paint into wood cup containing ${b} paint`);
  trial.do(`mix wood cup containing ${[a, b].sort().join(' paint and ')} paint`);
  trial.do(`focus on ${colour}`);
}

const secondaryColour: Plan = (trial) => mixSecondary(trial, /create ([\w -]+? paint)\./.exec(trial.description())![1]);

const tertiaryColour: Plan = (trial) => {
  const text = trial.description();
  const wanted = /create ([\w -]+? paint)\./.exec(text)![1];
  const between = /focus on the ([\w -]+? paint)\.$/.exec(text)![1];
  mixSecondary(trial, between);
  const third = thirds[wanted];
  trial.do('open large cupboard');
  trial.do(`pour wood cup containing ${third} paint in large cupboard into wood cup containing ${between}`);
  trial.do(`mix wood cup containing ${[between, `${third} paint`].sort().join(' and ')}`);
  trial.do(`focus on ${wanted}`);
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
  (trial) => {
    const [, result, room] = /substance '([\w ]+)'.*found near the (\w+)\./.exec(trial.description())!;
    arrive(trial, room);
    mix(trial, result, recipes[result]);
  };

/** Mixes the ingredients, starting in the room with the dry ones. */
function mix(trial: PlanTrial, result: string, ingredients: readonly string[]): void {
  const paint = ingredients.find((name) => name.endsWith(' paint'));
  const dry = ingredients.filter((name) => name !== 'water' && name !== paint);
  for (const name of dry) {
    if (!trial.canName(name)) trial.do('open glass jar');
    trial.do(`pick up ${name}`);
  }
  trial.goTo(paint ? 'art studio' : 'kitchen');
  const cup = paint ? `wood cup containing ${paint}` : 'glass cup';
  for (const name of dry) trial.do(`move ${name} in inventory to ${cup}`);
  if (ingredients.includes('water')) {
    trial.do('move glass cup to sink');
    trial.act('activate sink');
    trial.act('deactivate sink');
  }
  trial.do(`mix ${paint ? `wood cup containing ${ingredients.slice().sort().join(' and ')}` : 'glass cup'}`);
  trial.do(`focus on ${result}`);
}

// ---- changes of state: a furnace and a cold freezer, whatever the substance -----------------------------------------

const inWorkshop = ['rubber', 'lead', 'tin', 'mercury', 'gallium', 'caesium'];

/** Things to put into the metal pot, which conducts heat and does not burn. */
type Potted = 'ice' | 'solids' | 'all';

/** Focuses on the substance and picks it up; returns the name of the vessel, or of the substance if there is none. */
function fetch(trial: PlanTrial, thing: string, pots: Potted): string {
  if (thing === 'water') {
    fetchWater(trial, 'metal pot');
    trial.do('focus on water in metal pot');
    return 'metal pot';
  }
  const pot = () => {
    trial.goTo('kitchen');
    trial.act('open cupboard');
    trial.do('pick up metal pot');
  };
  const solid = ['rubber', 'ice', 'chocolate', 'marshmallow', 'soap'].includes(thing);
  const potted = thing === 'ice' || pots === 'all' || (pots === 'solids' && solid);
  if (potted) pot();
  trial.goTo(inWorkshop.includes(thing) ? 'workshop' : 'kitchen');
  reachInKitchen(trial, thing);
  trial.do(`focus on ${thing}`);
  if (!solid) {
    const vessel = trial.holderOf(thing);
    trial.do(potted ? `pour ${vessel} containing ${thing} into metal pot` : `pick up ${vessel} containing ${thing}`);
    return potted ? 'metal pot' : vessel;
  }
  trial.do(potted ? `move ${thing} to metal pot in inventory` : `pick up ${thing}`);
  return potted ? 'metal pot' : thing;
}

/** Waits until the given number of subgoals is reached. The plan fails if the moves run out first. */
function waitForStage(trial: PlanTrial, stage: number): void {
  while (trial.stage() < stage) trial.act('wait1');
}

interface Device {
  name: string;
  room: string;
}
const stove = { name: 'stove', room: 'kitchen' };
const oven = { name: 'oven', room: 'kitchen' };
const furnace = { name: 'blast furnace', room: 'foundry' };
const freezer = { name: 'ultra low temperature freezer', room: 'workshop' };

function putInto(trial: PlanTrial, { room, name }: Device, carried: string): void {
  trial.goTo(room);
  if (name !== 'stove') trial.act(`open ${name}`);
  trial.do(`move ${carried} in inventory to ${name}`);
}

function heat(trial: PlanTrial, carried: string, stage: number, heater: Device = furnace): void {
  if (trial.stage() >= stage) return;
  putInto(trial, heater, carried);
  if (trial.act(`activate ${heater.name}`).includes('broken')) throw new PlanFailure(`the ${heater.name} is broken`);
  waitForStage(trial, stage);
}

function cool(trial: PlanTrial, carried: string, stage: number): void {
  if (trial.stage() >= stage) return;
  putInto(trial, freezer, carried);
  waitForStage(trial, stage);
}

const substanceOf = (trial: PlanTrial) =>
  /(?:boil|melt|freeze|state of matter of) ([\w ]+)\. /.exec(trial.description())![1];

const boil =
  (pots: Potted): Plan =>
  (trial) =>
    heat(trial, fetch(trial, substanceOf(trial), pots), 3);
const changeState: Plan = boil('ice');

const melt: Plan = (trial) => {
  const carried = fetch(trial, substanceOf(trial), 'ice');
  if (trial.stage() < 2) {
    cool(trial, carried, 2);
    trial.do(`pick up ${carried} in ${freezer.name}`);
  }
  heat(trial, carried, 3);
};

/** A gentle heater comes first: cooling then takes less time, and a furnace ignites things that a stove only melts. */
const freeze =
  (heater: Device, pots: Potted): Plan =>
  (trial) => {
    const carried = fetch(trial, substanceOf(trial), pots);
    if (trial.stage() < 2) {
      heat(trial, carried, 2, heater);
      trial.do(`pick up ${carried} in ${heater.name}`);
    }
    cool(trial, carried, 3);
  };

// ---- answers that are only named: the experiment is left out --------------------------------------------------------

function focusOnRight(trial: PlanTrial, candidates: readonly string[]): void {
  const right = candidates.find((name) => trial.isRight(`focus on ${name}`));
  if (!right) throw new PlanFailure(`none of ${candidates.join(', ')} is right`);
  trial.do(`focus on ${right}`);
}

/** "(steel, glass)" or "(B, C)": surfaces or letters. */
const rightPlane: Plan = (trial) => {
  const names = /inclined planes \(([^)]+)\)/.exec(trial.description())![1].split(', ');
  trial.goTo('workshop');
  focusOnRight(
    trial,
    names.map((name) =>
      /^inclined plane/.test(name)
        ? name
        : /^[A-Z]$/.test(name)
          ? `inclined plane ${name}`
          : `inclined plane with a ${name} surface`,
    ),
  );
};

const dominance: Plan = (trial) => {
  trial.goTo('greenhouse');
  focusOnRight(
    trial,
    [...trial.description().matchAll(/focus on the (\w+ box)/g)].map((m) => m[1]),
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
  'power-component-renewable-vs-nonrenewable-energy': powerWithGivenSource,
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
 * those that use the answer.
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
    const trial = new PlanTrial(simulator, copy, stepLimit);
    if (succeeds(plan, trial)) return trial.actions;
  }
  return null;
}

function succeeds(plan: Plan, trial: PlanTrial): boolean {
  try {
    plan(trial);
  } catch (error) {
    if (!(error instanceof PlanFailure)) throw error;
  }
  return trial.completed;
}
