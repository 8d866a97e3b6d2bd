/** Answers of the tools of the weather family, in the form of the original's weather service. */
import type { Json } from '../../../envs/env.ts';
import { type Day, datesBetween, dayAt, type Place } from './data.ts';
import type { Quantity } from './tools.ts';

interface Column {
  key: string;
  unit: string;
  of(day: Day): number;
}

const columns: { readonly [quantity in Quantity]: readonly Column[] } = {
  temp: [
    { key: 'temperature_2m_max', unit: '°C', of: ({ max }) => max },
    { key: 'temperature_2m_min', unit: '°C', of: ({ min }) => min },
    { key: 'temperature_2m_mean', unit: '°C', of: ({ mean }) => mean },
  ],
  rain: [{ key: 'rain_sum', unit: 'mm', of: ({ rain }) => rain }],
  snow: [{ key: 'snowfall_sum', unit: 'cm', of: ({ snow }) => snow }],
  air_quality_index: [{ key: 'european_aqi_pm2_5', unit: 'EAQI', of: ({ air }) => air }],
};

/** Values of some days, by column. */
export const valuesOf = (quantity: Quantity, days: readonly Day[]): readonly (readonly number[])[] =>
  columns[quantity].map(({ of }) => days.map(of));

export function seriesAnswer(quantity: Quantity, place: Place, start: string, end: string): Json {
  const dates = datesBetween(start, end);
  const days = dates.map((date) => dayAt(place, date));
  const of = columns[quantity];
  // The air is measured every hour; the original keeps noon.
  const times = dates.map((date) => (quantity === 'air_quality_index' ? `${date}T12:00` : date));
  return {
    latitude: place.latitude,
    longitude: place.longitude,
    daily_units: { time: 'iso8601', ...Object.fromEntries(of.map(({ key, unit }) => [key, unit])) },
    daily: { time: times, ...Object.fromEntries(of.map(({ key, of: value }) => [key, days.map(value)])) },
  };
}

export const placeAnswer = ({ name, latitude, longitude, country }: Place): Json => ({
  results: [{ name, latitude, longitude, country_code: country }],
});

/** Level of an index of the air's quality. */
export function airLevel(index: number): string {
  const levels = ['good', 'fair', 'moderate', 'poor', 'very poor'];
  return levels[Math.max(0, Math.ceil(index / 20) - 1)] ?? 'extremely poor';
}
