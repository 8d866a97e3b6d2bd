/** One task of the weather family: a question over the weather of some places. */
import type { Json } from '../../../envs/env.ts';
import { addDays, daysBetween, isDate } from '../dates.ts';
import { type Answer, refusal, result } from '../family.ts';
import { QuestionInstance, tenths } from '../questions.ts';
import type { Arguments, Call, Tool } from '../tool.ts';
import type { StateTable } from '../view-data.ts';
import { datesBetween, dayAt, kilometres, mostDays, type Place, placeAt, type WeatherData } from './data.ts';
import { airLevel, placeAnswer, seriesAnswer, valuesOf } from './station.ts';
import { type Period, type Quantity, seriesOf } from './tools.ts';

type Kind = 'place' | 'home' | 'today' | 'number' | 'date' | 'list' | 'index' | 'level';

/** Days of a week, the span that is always offered. */
const week = 7;

/** The same day a year earlier. */
export const yearBefore = (date: string): string =>
  `${Number(date.slice(0, 4)) - 1}${date.slice(4)}`.replace('-02-29', '-02-28');

const sum = (values: readonly number[]) => tenths(values.reduce((total, value) => total + value, 0));
export const meanOf = (values: readonly number[]) =>
  tenths(values.reduce((total, value) => total + value, 0) / values.length);
export const sumOf = sum;

export class WeatherInstance extends QuestionInstance<WeatherData, Kind> {
  /** Values of single days, by quantity and column, whose differences are offered as answers. */
  private readonly singles = new Map<string, number[]>();

  call({ name, arguments: given }: Call): Answer {
    const series = seriesOf[name];
    if (series) return this.series(series.quantity, series.period, given);
    if (name === 'get_user_current_date') return this.showToday();
    if (name === 'get_user_current_location') return this.showHome();
    if (name === 'get_latitude_longitude') return this.locate(String(given.name));
    if (name === 'get_air_quality_level') return this.showLevel(airLevel(Number(given.air_quality_index)));
    if (name === 'get_distance') return this.distance(given);
    const place = this.at(given.latitude, given.longitude);
    return place ? this.showElevation(place) : this.nowhere();
  }

  at(latitude: Json, longitude: Json): Place | undefined {
    return placeAt(Number(latitude), Number(longitude), this.data);
  }

  private nowhere(): Answer {
    return refusal('There is no place at these coordinates. get_latitude_longitude returns those of a place.');
  }

  private distance(given: Arguments): Answer {
    const [from, to] = [
      { latitude: Number(given.latitude1), longitude: Number(given.longitude1) },
      { latitude: Number(given.latitude2), longitude: Number(given.longitude2) },
    ];
    return this.showNumber(kilometres(from, to));
  }

  showToday(): Answer {
    this.shown.add('today', this.data.today);
    return result(this.data.today);
  }

  showHome(): Answer {
    this.shown.add('home', this.data.home.name);
    return result(this.data.home.name);
  }

  placeNamed(name: string): Place | undefined {
    return this.data.places.find((each) => each.name.toLowerCase() === name.trim().toLowerCase());
  }

  private locate(name: string): Answer {
    const place = this.placeNamed(name);
    return place ? this.showPlace(place) : result({ results: [] });
  }

  showPlace(place: Place): Answer {
    this.shown.add('place', place.name);
    return result(placeAnswer(place));
  }

  showElevation({ elevation }: Place): Answer {
    this.shown.add('number', elevation);
    return result({ elevation: [elevation] });
  }

  showNumber(value: number): Answer {
    this.shown.add('number', value);
    return result(value);
  }

  showLevel(level: string): Answer {
    this.shown.add('level', level);
    return result(level);
  }

  private series(quantity: Quantity, period: Period, given: Arguments): Answer {
    const place = this.at(given.latitude, given.longitude);
    if (!place) return this.nowhere();
    const [start, end] =
      'current_date' in given ? [given.current_date, given.current_date] : [given.start_date, given.end_date];
    const problem = this.problemOf(String(start), String(end), period);
    return problem ? refusal(problem) : this.showSeries(quantity, place, String(start), String(end));
  }

  /** Reason why a call cannot have these days, or null. */
  private problemOf(start: string, end: string, period: Period): string | null {
    const wrong = [start, end].find((date) => !isDate(date));
    if (wrong !== undefined) return `"${wrong.slice(0, 60)}" is no date: write it as YYYY-MM-DD.`;
    const { today } = this.data;
    if (end < start) return `The last day ${end} is before the first day ${start}.`;
    if (daysBetween(start, end) > mostDays) return `A call covers at most ${mostDays + 1} days: split it into several.`;
    if (period === 'current' && start !== today) return `${start} is not today: use a historical or a forecast tool.`;
    if (period === 'historical' && end >= today) return `${end} is not before today: use a forecast or a current tool.`;
    if (period === 'forecast' && start <= today)
      return `${start} is not after today: use a historical or a current tool.`;
    return null;
  }

  showSeries(quantity: Quantity, place: Place, start: string, end: string): Answer {
    const dates = datesBetween(start, end);
    const days = dates.map((date) => dayAt(place, date));
    this.shown.add('date', ...dates);
    for (const [k, values] of valuesOf(quantity, days).entries()) {
      this.shown.add('number', ...values, sum(values), meanOf(values));
      if (values.length === 1) this.noteSingle(`${quantity} ${k}`, values[0]);
    }
    if (quantity === 'temp') this.shown.add('list', ...days.map(({ min, max }) => [min, max]));
    if (quantity === 'air_quality_index') this.shown.add('index', ...days.map(({ air }) => air));
    return result(seriesAnswer(quantity, place, start, end));
  }

  private noteSingle(column: string, value: number): void {
    const before = this.singles.get(column) ?? [];
    this.shown.add('number', ...before.map((other) => tenths(Math.abs(other - value))));
    this.singles.set(column, [...before, value]);
  }

  brief({ name, arguments: given }: Call, { value }: Answer): string {
    const series = seriesOf[name];
    if (series) return this.briefSeries(series.quantity, given);
    if (name === 'get_elevation') return String((value as { elevation: number[] }).elevation[0]);
    if (name !== 'get_latitude_longitude') return String(value);
    const place = this.placeNamed(String(given.name));
    return place ? `${place.name} ${place.latitude} ${place.longitude}` : 'none';
  }

  private briefSeries(quantity: Quantity, given: Arguments): string {
    const place = this.at(given.latitude, given.longitude)!;
    const dates = datesBetween(
      String(given.start_date ?? given.current_date),
      String(given.end_date ?? given.current_date),
    );
    const text = (date: string) => {
      const { max, min, mean, rain, snow, air } = dayAt(place, date);
      const values = { temp: `max ${max} min ${min} mean ${mean}`, rain, snow, air_quality_index: air }[quantity];
      return dates.length > 1 ? `${date} ${values}` : String(values);
    };
    return dates.map(text).join(' ; ');
  }

  private located(): Place[] {
    return this.shown.of<string>('place').map((name) => this.placeNamed(name)!);
  }

  protected argumentsFor(tool: Tool): Arguments[] {
    const { name, parameters } = tool;
    const places = this.located().map(({ latitude, longitude }) => ({ latitude, longitude }));
    const series = seriesOf[name];
    if (series) return places.flatMap((place) => this.spans(series.period).map((span) => ({ ...place, ...span })));
    if ('name' in parameters)
      return [...new Set([...this.named, ...this.shown.of<string>('home')])].map((each) => ({ name: each }));
    if ('air_quality_index' in parameters) return this.shown.of('index').map((each) => ({ air_quality_index: each }));
    if ('latitude' in parameters) return places;
    if (!('latitude1' in parameters)) return [{}];
    return places.flatMap((from) =>
      places
        .filter((to) => to !== from)
        .map((to) => ({
          ...{ latitude1: from.latitude, longitude1: from.longitude },
          ...{ latitude2: to.latitude, longitude2: to.longitude },
        })),
    );
  }

  /** Days and spans that follow from today's date and the goal's dates and numbers, by one rule for all. */
  private spans(period: Period): Arguments[] {
    const [today] = this.shown.of<string>('today');
    if (!today) return [];
    if (period === 'current') return [{ current_date: today }];
    const dates = this.goal.match(/\d{4}-\d\d-\d\d/g) ?? [];
    const numbers = [...this.goal.matchAll(/\b\d{1,2}(?= days)/g)].map(Number);
    const sign = period === 'historical' ? -1 : 1;
    const steps = [...new Set([1, week, ...numbers])];
    const single = [...dates, ...steps.map((days) => addDays(today, sign * days)), yearBefore(today)];
    const several = steps.slice(1).map((days) => [addDays(today, sign), addDays(today, sign * days)].sort());
    const spans = [...new Set(single)].map((date) => [date, date]).concat(several);
    return spans
      .filter(([start, end]) => (sign < 0 ? end < today : start > today))
      .map(([start_date, end_date]) => ({ start_date, end_date }));
  }

  protected answers(): Json[] {
    return [...new Set([...this.named, ...this.shown.of('home', 'today', 'number', 'date', 'level', 'list')])];
  }

  tables(): StateTable[] {
    const { today, home, places } = this.data;
    return [
      {
        title: `${today} · ${home.name}`,
        columns: ['place', 'latitude', 'longitude', 'elevation', 'today', 'rain'],
        rows: places.map((place) => {
          const { min, max, rain } = dayAt(place, today);
          const { name, latitude, longitude, elevation } = place;
          return {
            cells: [name, String(latitude), String(longitude), `${elevation} m`, `${min} to ${max} °C`, `${rain} mm`],
            change: this.shown.has('place', name) ? 'seen' : '',
          };
        }),
      },
    ];
  }
}
