/**
 * Plans of an oracle that finds out what it cannot know, as whoever reads no more than the world's words must: it looks around where it comes in before it
 * speaks of what is there, joins what may conduct to a lamp, warms or cools what may melt, and reads the recipe. Knows the simulator's words, no batches.
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
import { type Plan, type Rehearsal, Stuck } from './rehearsal.ts';

/** Goes there, and looks: a room is described where an episode begins, and where one looks around. */
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

/** The first so many of what the room shows whose names end so. */
function shown(r: Rehearsal, ending: string, count: number): string[] {
  const names = [...r.look().matchAll(new RegExp(`\\b(\\w+ ${ending})\\b`, 'g'))].map(([, name]) => name);
  if (names.length < count) throw new Stuck(`there are ${names.length} things that end with ${ending}, not ${count}`);
  return names.slice(0, count);
}

/** A lamp in series with the thing: from the battery through a wire, the lamp, a wire, the thing and a wire. */
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

/** Within a long wait the stove does not pass a bound this high yet: so many readings are saved. */
const LONG_WAIT_FROM = 200;
const MOST_READINGS = 20;
const LONG_WAIT = 'wait';

const degrees = (answer: string) => /temperature of (-?\d+) degrees/.exec(answer)?.[1];

/** Warmed or cooled until the thermometer has passed the bound: what kept its name until then, and looks as it did, has not changed its state. */
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

/** Solid at the bound, it melts above; liquid, below. Solid or liquid it is in the kitchen already, which is told where it is to be picked up. */
const meltingPoint: Plan = (r) => {
  const text = r.description();
  const [, thing] = /melting point of ([\w ]+), which/.exec(text)!;
  const [, bound] = /is above (-?[\d.]+) degrees/.exec(text)!;
  const [above, below] = [...text.matchAll(/focus on the (\w+ box)/g)].map(([, box]) => box);
  visit(r, 'kitchen');
  // The room's: the thermometer lies there.
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

/** Instead of a plan that knows, of the tasks whose answer can be found out soon; a task that is not here has no other. */
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
