/** Selects the things of a room to show with a temperature, and maps temperatures to a scale. Draws nothing. */
import type { SciWorldThing, SciWorldView } from '../view-data.ts';

const maxReadings = 6;
/** Smallest change of temperature that counts, in degrees. */
const minChange = 0.3;

export const everyThing = (things: readonly SciWorldThing[]): SciWorldThing[] =>
  things.flatMap((thing) => [thing, ...everyThing(thing.contents)]);

/**
 * The thing in focus, the thermometers, and the things whose temperature changes most: what an experimenter would
 * watch.
 */
export function readingsOf({ things, inventory, focus }: SciWorldView): SciWorldThing[] {
  const all = everyThing([...inventory, ...things]).filter(({ temperature }) => temperature !== null);
  const fixed = all.filter(({ id, kind }) => id === focus || kind === 'thermometer');
  const moving = all
    .filter((thing) => !fixed.includes(thing) && Math.abs(thing.change) >= minChange)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  return [...fixed, ...moving].slice(0, maxReadings);
}

/**
 * Position of a temperature on a scale that fits both a fridge and a furnace: asinh(t / 60) from -100 to 3000 degrees,
 * mapped to 0 to 1.
 */
export function onScale(degrees: number): number {
  const low = Math.asinh(-100 / 60);
  const high = Math.asinh(3000 / 60);
  return Math.max(0, Math.min(1, (Math.asinh(degrees / 60) - low) / (high - low)));
}
