/** Data of the weather family: made places with coordinates, and the weather of each day, which follows from a seed. */
import { mixSeeds, Random } from '../../../envs/random.ts';
import { addDays, daysBetween } from '../dates.ts';
import { distinct, drawPairs } from '../draws.ts';
import type { Draw } from '../family.ts';
import { tenths } from '../questions.ts';

export interface Place {
  name: string;
  /** In degrees, with one decimal. */
  latitude: number;
  longitude: number;
  country: string;
  /** In metres. */
  elevation: number;
  seed: number;
}

export interface WeatherData {
  today: string;
  /** The user's place. */
  home: Place;
  places: Place[];
}

/** Weather of a day: temperatures in °C, rain in mm, snow in cm, and the European index of the air's quality. */
export interface Day {
  max: number;
  min: number;
  mean: number;
  rain: number;
  snow: number;
  air: number;
}

export const words = {
  first: ['North', 'Old', 'Green', 'Stone', 'River', 'High', 'Little', 'West', 'Silver', 'Long', 'Fair', 'New'],
  last: ['Alder', 'Brook', 'Crest', 'Dunmere', 'Ferry', 'Grange', 'Haven', 'Marsh', 'Norton', 'Ridge', 'Stow', 'Vale'],
  countries: ['AR', 'BO', 'CA', 'DR', 'ES'],
} as const;

/** Draws places. Their coordinates are at least three degrees apart, their elevations different. */
export function drawWeather(draw: Draw): WeatherData {
  const { random, options } = draw;
  const count = Number(options.places);
  const [latitudes, longitudes, heights] = [
    distinct(-19, 19, count, random),
    distinct(-20, 20, count, random),
    distinct(1, 90, count, random),
  ];
  const places = drawPairs(words.first, words.last, count, draw).map((name, k) => ({
    name,
    latitude: tenths(3 * latitudes[k] + random.below(10) / 10),
    longitude: tenths(3 * longitudes[k] + random.below(10) / 10),
    country: random.pick(words.countries),
    elevation: 10 * heights[k],
    seed: random.next(),
  }));
  return { today: addDays('2031-01-01', random.below(1200)), home: places[0], places };
}

/** A name of the split that no place has. */
export const drawAbsent = (draw: Draw, { places }: WeatherData): string =>
  drawPairs(words.first, words.last, words.first.length * words.last.length, draw).find(
    (name) => !places.some((each) => each.name === name),
  )!;

const firstDay = '2000-01-01';

/** Days around a year's warmest one, as a temperature: the north is warm in July, the south in January. */
function seasonal({ latitude, elevation }: Place, date: string): number {
  const north = Math.abs(latitude) / 60;
  // A triangle over the year instead of a cosine, which is not the same in every engine.
  const phase = (daysBetween(firstDay, date) % 365.25) / 365.25;
  const summer = 1 - 4 * Math.abs(0.55 - phase);
  return 26 - 22 * north + (latitude < 0 ? -1 : 1) * 14 * north * summer - elevation / 150;
}

export function dayAt(place: Place, date: string): Day {
  const random = new Random(mixSeeds(place.seed, daysBetween(firstDay, date)));
  const mean = tenths(seasonal(place, date) + random.between(-40, 40) / 10);
  const max = tenths(mean + random.between(15, 70) / 10);
  const min = tenths(mean - random.between(15, 70) / 10);
  const wet = random.chance(45) ? random.between(2, 240) / 10 : 0;
  return {
    max,
    min,
    mean,
    rain: mean > 0 ? wet : 0,
    snow: mean > 2 ? 0 : tenths(wet * 0.7),
    air: random.between(5, 110),
  };
}

const rad = (degrees: number) => (degrees * Math.PI) / 180;

/** Distance in kilometres over a sphere of 6,371 km, rounded to one. */
export function kilometres(
  a: { latitude: number; longitude: number },
  b: { latitude: number; longitude: number },
): number {
  const half = (from: number, to: number) => Math.sin(rad(to - from) / 2) ** 2;
  const part =
    half(a.latitude, b.latitude) +
    Math.cos(rad(a.latitude)) * Math.cos(rad(b.latitude)) * half(a.longitude, b.longitude);
  return Math.round(2 * 6371 * Math.asin(Math.min(1, Math.sqrt(part))));
}

/** Half of the width of a cell of the grid, in degrees: coordinates in it get the weather of its place. */
const cell = 0.5;

export const placeAt = (latitude: number, longitude: number, { places }: WeatherData): Place | undefined =>
  places.find((each) => Math.abs(each.latitude - latitude) <= cell && Math.abs(each.longitude - longitude) <= cell);

/** Maximum number of days between the first and the last day of a call. */
export const mostDays = 30;

/** Days from one date to another, both included. */
export const datesBetween = (start: string, end: string): string[] =>
  Array.from({ length: daysBetween(start, end) + 1 }, (_, k) => addDays(start, k));
