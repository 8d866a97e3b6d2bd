/**
 * AgentGym's weather environment over our places (agentenv-tool at 3ef9235: environment/weather_env.py,
 * utils/weather/weather_tools.py). In the place of Open-Meteo stands a service that knows the made places, with the same
 * form of answers and errors.
 */
import type { Json } from '../../../envs/env.ts';
import { type Literal, LiteralDict, literalText, literalType } from '../../../python/literal.ts';
import { literalOf } from '../calls.ts';
import { daysBetween, isDate } from '../dates.ts';
import { PythonError } from '../family.ts';
import { type LiteralAnswer, OriginalTools } from '../original-tools.ts';
import { strptimeDate } from '../original-values.ts';
import { kilometres, mostDays, type Place } from './data.ts';
import type { WeatherInstance } from './instance.ts';
import { type Period, type Quantity, seriesOf, weatherTools } from './tools.ts';

const failed = (value: Literal): LiteralAnswer => ({ ok: false, value });
const serviceError = (reason: string) => failed(`{"error":true,"reason":"${reason}"}`);

const tooLong =
  'Error: Sorry, at present, we support a maximum time span of 30 days between start_date and end_date in a single query. Your input exceeds this range. You can split your current query into multiple sub-queries that meet our criteria.';

/** Literal of a JSON value in which all numbers are floats, as the service writes them. */
function floatsOf(value: Json): Literal {
  if (typeof value === 'number') return value;
  if (Array.isArray(value)) return value.map(floatsOf);
  if (value === null || typeof value !== 'object') return value;
  const dict = new LiteralDict();
  for (const [key, each] of Object.entries(value)) dict.set(key, floatsOf(each));
  return dict;
}

/** A number of a query, which the service reads from its text; null if it is none. */
function queried(value: Literal): number | null {
  const text = literalText(value);
  return /^-?\d{1,3}(\.\d{1,15})?$/.test(text) ? Number(text) : null;
}

/** Comparison of an index with a bound, which fails for values that Python cannot compare with a number. */
function index(value: Literal): number {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  throw new PythonError('TypeError', `'<=' not supported between instances of '${literalType(value)}' and 'int'`);
}

export class WeatherOriginal extends OriginalTools {
  constructor(private readonly weather: WeatherInstance) {
    super(weatherTools, floatsOf(weather.answer));
  }

  protected answerTo(name: string, given: readonly Literal[]): LiteralAnswer {
    const series = seriesOf[name];
    if (series) return this.series(series.quantity, series.period, given);
    if (name === 'get_user_current_date') return { ok: true, value: literalOf(this.weather.showToday().value) };
    if (name === 'get_user_current_location') return { ok: true, value: literalOf(this.weather.showHome().value) };
    if (name === 'get_latitude_longitude') return this.locate(given[0]);
    if (name === 'get_air_quality_level') return this.level(index(given[0]));
    if (name === 'get_distance') return this.distance(given);
    const place = this.placeOf(given);
    return typeof place === 'string'
      ? serviceError(place)
      : { ok: true, value: floatsOf(this.weather.showElevation(place).value) };
  }

  private locate(name: Literal): LiteralAnswer {
    if (name === null) return serviceError('Parameter name required.');
    const place = this.weather.placeNamed(literalText(name));
    // The service leaves the list out if it is empty.
    if (!place) throw new PythonError('KeyError', "'results'");
    return { ok: true, value: floatsOf(this.weather.showPlace(place).value) };
  }

  /** The place of the first two values, or the service's reason. */
  private placeOf([latitude, longitude]: readonly Literal[]): Place | string {
    const [first, second] = [queried(latitude), queried(longitude)];
    if (first === null || second === null) return 'Parameters latitude and longitude must be numbers.';
    return this.weather.at(first, second) ?? 'No data is available for this location.';
  }

  /** Between the original's bounds, at 21, 41, 61 and 81, lie gaps. */
  private level(value: number): LiteralAnswer {
    const bounds: [number, number, string][] = [
      [21, 40, 'fair'],
      [41, 60, 'moderate'],
      [61, 80, 'poor'],
      [81, 100, 'very poor'],
    ];
    const found = bounds.find(([above, most]) => above < value && value <= most)?.[2] ?? 'extremely poor';
    return { ok: true, value: literalOf(this.weather.showLevel(value <= 20 ? 'good' : found).value) };
  }

  private distance(given: readonly Literal[]): LiteralAnswer {
    const values = given.map((value) => {
      if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
      throw new PythonError('ValueError', 'Coordinates must be numbers.');
    });
    const [latitude1, longitude1, latitude2, longitude2] = values;
    const from = { latitude: latitude1, longitude: longitude1 };
    const value = kilometres(from, { latitude: latitude2, longitude: longitude2 });
    if (!Number.isFinite(value)) throw new PythonError('ValueError', 'Coordinates must be numbers.');
    return { ok: true, value: floatsOf(this.weather.showNumber(value).value) };
  }

  private series(quantity: Quantity, period: Period, given: readonly Literal[]): LiteralAnswer {
    const [start, end] = given.length === 3 ? [given[2], given[2]] : [given[2], given[3]];
    const problem = this.checkDates(start, end, period);
    if (problem) return failed(problem);
    const place = this.placeOf(given);
    if (typeof place === 'string') return serviceError(place);
    const [first, last] = [literalText(start), literalText(end)];
    if (!isDate(first) || !isDate(last)) return serviceError('Invalid date.');
    if (last < first) return serviceError('End-date must be larger or equals than start-date.');
    const { value } = this.weather.showSeries(quantity, place, first, last);
    return { ok: true, value: quantity === 'air_quality_index' ? this.airSeries(value, place) : floatsOf(value) };
  }

  /** An index is an int, coordinates are floats. */
  private airSeries(value: Json, { latitude, longitude }: Place): Literal {
    const dict = literalOf(value) as LiteralDict;
    dict.set('latitude', latitude);
    dict.set('longitude', longitude);
    return dict;
  }

  /** The original's check of the days; a current tool has none. Throws as strptime does. */
  private checkDates(start: Literal, end: Literal, period: Period): string | null {
    const { today } = this.weather.data;
    const wrongSide = (date: string) => (period === 'historical' ? date >= today : date <= today);
    const word = period === 'historical' ? 'earlier' : 'later';
    if (period !== 'current')
      for (const [name, value] of Object.entries({ start_date: start, end_date: end }))
        if (value !== null && wrongSide(strptimeDate(value)))
          return `Error: ${name} should be ${word} than current_date`;
    return daysBetween(strptimeDate(start), strptimeDate(end)) > mostDays ? tooLong : null;
  }
}
