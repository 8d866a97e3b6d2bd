/**
 * Plans that find the answer by experiment, from observations alone, as an agent must. They look around a room before
 * they name its things, connect a possible conductor to a lamp, heat or cool a substance, and read the recipe. They use
 * the simulator's action texts; independent of batches.
 */
import { longLived, shortLived } from './named-things.ts';
import {
  type Arrival,
  boxesToMoveTo,
  type Choice,
  chemistryMix,
  findAnimal,
  findPlant,
  lifespan,
  reachInKitchen,
  waitForNames,
} from './oracle.ts';
import { type Plan, PlanFailure, type PlanTrial } from './plan-trial.ts';

/** Goes to the room and looks around: only a look (or the start of an episode) describes a room. */
const visit: Arrival = (trial, room) => {
  const walked = trial.room() !== room;
  trial.goTo(room);
  if (walked) trial.act('look around');
};

const seePlants: Arrival = (trial, room) => {
  waitForNames(trial, room);
  trial.act('look around');
};

const readRecipe: Arrival = (trial, room) => {
  visit(trial, room);
  trial.do('read recipe');
};

/**
 * Last egg that the room's description lists, else the last of these animals, by its name there: "turtle egg". The world
 * calls a toad's egg a frog egg, and then does not understand "frog". All training variations list an egg.
 */
const listed: Choice = (trial, wanted) => {
  const line = new RegExp(`^\\s*an? ((?:\\w+ )?(?:${wanted.join('|')})(?: \\w+)?)$`, 'gm');
  const names = [...trial.look().matchAll(line)].map(([, name]) => name);
  const name = names.findLast((each) => each.endsWith(' egg')) ?? names.at(-1);
  if (!name) throw new PlanFailure(`none of ${wanted.join(', ')} is listed`);
  return name;
};

/** The first `count` things in the room's description whose names end with `ending`. */
function shown(trial: PlanTrial, ending: string, count: number): string[] {
  const names = [...trial.look().matchAll(new RegExp(`\\b(\\w+ ${ending})\\b`, 'g'))].map(([, name]) => name);
  if (names.length < count)
    throw new PlanFailure(`there are ${names.length} things that end with ${ending}, not ${count}`);
  return names.slice(0, count);
}

/** True if a lamp lights in series with the thing: battery, wire, lamp, wire, thing, wire. */
function lightsLamp(trial: PlanTrial, thing: string): boolean {
  const [toLamp, toThing, between] = shown(trial, 'wire', 3);
  const [lamp] = shown(trial, 'light bulb', 1);
  trial.do(`connect battery anode to ${toLamp} terminal 1`);
  trial.do(`connect ${toLamp} terminal 2 to cathode in ${lamp}`);
  trial.do(`connect anode in ${lamp} to ${between} terminal 1`);
  trial.do(`connect ${between} terminal 2 to ${thing} terminal 1`);
  trial.do(`connect ${thing} terminal 2 to ${toThing} terminal 1`);
  trial.do(`connect ${toThing} terminal 2 to battery cathode`);
  trial.act('wait1');
  return trial.do(`look at ${lamp}`).includes('which is on');
}

const conductivity: Plan = (trial) => {
  const text = trial.description();
  const [, thing, room] = /\. The (.+) is located around the ([\w ]+)\./.exec(text) ?? [];
  if (thing === undefined || thing === 'water') throw new PlanFailure('nothing here can be joined to a lamp');
  const [conductive, other] = boxesToMoveTo(trial);
  const carried = room !== 'workshop';
  visit(trial, room);
  trial.do(`focus on ${thing}`);
  if (carried) {
    trial.do(`pick up ${thing}`);
    visit(trial, 'workshop');
    trial.do(`put down ${thing}`);
  }
  trial.do(`move ${thing} to ${lightsLamp(trial, thing) ? conductive : other}`);
};

/**
 * Bounds from this temperature on, in degrees, take longer than one long wait on the stove, so a long wait can replace
 * many readings.
 */
const LONG_WAIT_FROM = 200;
const MAX_READINGS = 20;
const LONG_WAIT = 'wait';

const degrees = (answer: string) => /temperature of (-?\d+) degrees/.exec(answer)?.[1];

/**
 * True if the substance changes its state before the thermometer passes the bound, while it is heated or cooled. A
 * substance that still has its name and its appearance has not changed.
 */
function changesBefore(
  trial: PlanTrial,
  thing: string,
  passed: (degrees: number) => boolean,
  wait: string | null,
): boolean {
  for (let k = 0; k < MAX_READINGS; k++) {
    if (wait) trial.act(wait);
    const read = degrees(trial.act(`use thermometer on ${thing}`));
    if (read === undefined) return true;
    if (passed(Number(read))) return /solid|liquid/.test(trial.act(`look at ${thing}`).replace(thing, ''));
  }
  throw new PlanFailure(`${thing} does not come to the temperature that is asked for`);
}

function meltsOnStove(trial: PlanTrial, thing: string, bound: number): boolean {
  trial.do(`move ${thing} in inventory to stove`);
  if (trial.act('activate stove').includes('broken')) throw new PlanFailure('the stove is broken');
  if (bound >= LONG_WAIT_FROM) trial.act(LONG_WAIT);
  return changesBefore(trial, thing, (read) => read > bound, null);
}

function freezes(trial: PlanTrial, thing: string, bound: number): boolean {
  trial.do('open freezer');
  trial.do(`move ${trial.holderOf(thing)} containing ${thing} to freezer`);
  return changesBefore(trial, thing, (read) => read < bound, LONG_WAIT);
}

/**
 * A substance that is solid at the bound melts above it; one that is liquid melts below. Picking it up in the kitchen
 * shows whether it is solid or liquid at room temperature.
 */
const meltingPoint: Plan = (trial) => {
  const text = trial.description();
  const [, thing] = /melting point of ([\w ]+), which/.exec(text)!;
  const [, bound] = /is above (-?[\d.]+) degrees/.exec(text)!;
  const [above, below] = [...text.matchAll(/focus on the (\w+ box)/g)].map(([, box]) => box);
  visit(trial, 'kitchen');
  // Room temperature, read from the thermometer in the kitchen's description.
  const room = Number(degrees(trial.look()));
  trial.do('pick up thermometer');
  trial.do('focus on thermometer');
  reachInKitchen(trial, thing);
  trial.do(`focus on ${thing}`);
  const liquid = trial.do(`pick up ${thing}`).includes("can't pick up a liquid");
  const solid = liquid
    ? Number(bound) < room && freezes(trial, thing, Number(bound))
    : Number(bound) <= room || !meltsOnStove(trial, thing, Number(bound));
  trial.do(`focus on ${solid ? above : below}`);
};

/**
 * Investigation plans, which replace the plans that use the answer. Only tasks whose answer can be found in a few turns
 * have one.
 */
export const investigationPlans: { [task: string]: Plan } = {
  'find-animal': findAnimal(visit, listed),
  'find-living-thing': findAnimal(visit, listed),
  'find-plant': findPlant(seePlants),
  'lifespan-longest-lived': lifespan(visit, longLived),
  'lifespan-shortest-lived': lifespan(visit, shortLived),
  'lifespan-longest-lived-then-shortest-lived': lifespan(visit, longLived, shortLived),
  'test-conductivity': conductivity,
  'test-conductivity-of-unknown-substances': conductivity,
  'chemistry-mix': chemistryMix(readRecipe),
  'measure-melting-point-known-substance': meltingPoint,
  'measure-melting-point-unknown-substance': meltingPoint,
};
