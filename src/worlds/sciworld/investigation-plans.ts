/**
 * Plans that find the answer by experiment, from observations alone, as an agent must. They look around a room before
 * they name its things, connect a possible conductor to a lamp, heat or cool a substance, and read the recipe. They use
 * the simulator's action texts; independent of batches.
 */
import { longLived, shortLived } from './named-things.ts';
import {
  type Arrival,
  boxesToMoveTo,
  chemistryMix,
  findAnimal,
  findPlant,
  lifespan,
  reachInKitchen,
  waitForNames,
} from './oracle.ts';
import { type Plan, type Rehearsal, Stuck } from './plan-trial.ts';

/** Goes to the room and looks around: only a look (or the start of an episode) describes a room. */
const visit: Arrival = (r, room) => {
  const walked = r.room() !== room;
  r.goTo(room);
  if (walked) r.act('look around');
};

const seePlants: Arrival = (r, room) => {
  waitForNames(r, room);
  r.act('look around');
};

const readRecipe: Arrival = (r, room) => {
  visit(r, room);
  r.do('read recipe');
};

/** The first `count` things in the room's description whose names end with `ending`. */
function shown(r: Rehearsal, ending: string, count: number): string[] {
  const names = [...r.look().matchAll(new RegExp(`\\b(\\w+ ${ending})\\b`, 'g'))].map(([, name]) => name);
  if (names.length < count) throw new Stuck(`there are ${names.length} things that end with ${ending}, not ${count}`);
  return names.slice(0, count);
}

/** True if a lamp lights in series with the thing: battery, wire, lamp, wire, thing, wire. */
function lights(r: Rehearsal, thing: string): boolean {
  const [toLamp, toThing, between] = shown(r, 'wire', 3);
  const [lamp] = shown(r, 'light bulb', 1);
  r.do(`connect battery anode to ${toLamp} terminal 1`);
  r.do(`connect ${toLamp} terminal 2 to cathode in ${lamp}`);
  r.do(`connect anode in ${lamp} to ${between} terminal 1`);
  r.do(`connect ${between} terminal 2 to ${thing} terminal 1`);
  r.do(`connect ${thing} terminal 2 to ${toThing} terminal 1`);
  r.do(`connect ${toThing} terminal 2 to battery cathode`);
  r.act('wait1');
  return r.do(`look at ${lamp}`).includes('which is on');
}

const conductivity: Plan = (r) => {
  const text = r.description();
  const [, thing, room] = /\. The (.+) is located around the ([\w ]+)\./.exec(text) ?? [];
  if (thing === undefined || thing === 'water') throw new Stuck('nothing here can be joined to a lamp');
  const [conductive, other] = boxesToMoveTo(r);
  const carried = room !== 'workshop';
  visit(r, room);
  r.do(`focus on ${thing}`);
  if (carried) {
    r.do(`pick up ${thing}`);
    visit(r, 'workshop');
    r.do(`put down ${thing}`);
  }
  r.do(`move ${thing} to ${lights(r, thing) ? conductive : other}`);
};

/** During a long wait the stove stays below bounds from this temperature on, so a long wait saves readings. */
const LONG_WAIT_FROM = 200;
const MOST_READINGS = 20;
const LONG_WAIT = 'wait';

const degrees = (answer: string) => /temperature of (-?\d+) degrees/.exec(answer)?.[1];

/**
 * True if the substance changes its state before the thermometer passes the bound, while it is heated or cooled. A
 * substance that still has its name and its appearance has not changed.
 */
function changesBefore(
  r: Rehearsal,
  thing: string,
  passed: (degrees: number) => boolean,
  wait: string | null,
): boolean {
  for (let k = 0; k < MOST_READINGS; k++) {
    if (wait) r.act(wait);
    const read = degrees(r.act(`use thermometer on ${thing}`));
    if (read === undefined) return true;
    if (passed(Number(read))) return /solid|liquid/.test(r.act(`look at ${thing}`).replace(thing, ''));
  }
  throw new Stuck(`${thing} does not come to the temperature that is asked for`);
}

function meltsOnStove(r: Rehearsal, thing: string, bound: number): boolean {
  r.do(`move ${thing} in inventory to stove`);
  if (r.act('activate stove').includes('broken')) throw new Stuck('the stove is broken');
  if (bound >= LONG_WAIT_FROM) r.act(LONG_WAIT);
  return changesBefore(r, thing, (read) => read > bound, null);
}

function freezes(r: Rehearsal, thing: string, bound: number): boolean {
  r.do('open freezer');
  r.do(`move ${r.holderOf(thing)} containing ${thing} to freezer`);
  return changesBefore(r, thing, (read) => read < bound, LONG_WAIT);
}

/**
 * A substance that is solid at the bound melts above it; one that is liquid melts below. Picking it up in the kitchen
 * shows whether it is solid or liquid at room temperature.
 */
const meltingPoint: Plan = (r) => {
  const text = r.description();
  const [, thing] = /melting point of ([\w ]+), which/.exec(text)!;
  const [, bound] = /is above (-?[\d.]+) degrees/.exec(text)!;
  const [above, below] = [...text.matchAll(/focus on the (\w+ box)/g)].map(([, box]) => box);
  visit(r, 'kitchen');
  // Room temperature, read from the thermometer in the kitchen's description.
  const room = Number(degrees(r.look()));
  r.do('pick up thermometer');
  r.do('focus on thermometer');
  reachInKitchen(r, thing);
  r.do(`focus on ${thing}`);
  const liquid = r.do(`pick up ${thing}`).includes("can't pick up a liquid");
  const solid = liquid
    ? Number(bound) < room && freezes(r, thing, Number(bound))
    : Number(bound) <= room || !meltsOnStove(r, thing, Number(bound));
  r.do(`focus on ${solid ? above : below}`);
};

/**
 * Investigation plans, which replace the plans that know the answer. Only tasks whose answer can be found in a few
 * turns have one.
 */
export const findingOut: { [task: string]: Plan } = {
  'find-animal': findAnimal(visit),
  'find-living-thing': findAnimal(visit),
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
