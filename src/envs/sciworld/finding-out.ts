/**
 * Plans of an oracle that finds out what it cannot know, as whoever reads no more than the world's words must: it looks around where it comes in before it
 * speaks of what is there, joins what may conduct to a lamp, and reads the recipe. Knows the simulator's words, no batches.
 */
import { longLived, shortLived } from './named-things.ts';
import { type Arrival, boxesToMoveTo, chemistryMix, findAnimal, findPlant, lifespan, waitForNames } from './oracle.ts';
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
};
