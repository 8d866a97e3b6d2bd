/** Which of a room's things are worth a thermometer, and where a temperature stands on its scale. Draws nothing. */
import type { SciWorldThing, SciWorldView } from '../view-data.ts';

const mostReadings = 6;
/** Degrees below which a change is no news. */
const leastChange = 0.3;

export const everyThing = (things: readonly SciWorldThing[]): SciWorldThing[] =>
  things.flatMap((thing) => [thing, ...everyThing(thing.contents)]);

/** The thing in focus, the thermometers, and what warms or cools most: what an experimenter would watch. */
export function readingsOf({ things, inventory, focus }: SciWorldView): SciWorldThing[] {
  const all = everyThing([...inventory, ...things]).filter(({ temperature }) => temperature !== null);
  const fixed = all.filter(({ id, kind }) => id === focus || kind === 'thermometer');
  const moving = all
    .filter((thing) => !fixed.includes(thing) && Math.abs(thing.change) >= leastChange)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  return [...fixed, ...moving].slice(0, mostReadings);
}

/** A scale that shows a fridge and a furnace alike: from -100 to 3000 degrees, as asinh(t / 60). Answers 0 to 1. */
export function onScale(degrees: number): number {
  const low = Math.asinh(-100 / 60);
  const high = Math.asinh(3000 / 60);
  return Math.max(0, Math.min(1, (Math.asinh(degrees / 60) - low) / (high - low)));
}
