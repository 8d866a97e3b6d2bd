/** Templates of the weather family: questions about places and days, and their answers. */
import { addDays } from '../dates.ts';
import type { Draw, Template } from '../family.ts';
import { ask, callOf, type Question, templateMaker, tenths, yesNo } from '../questions.ts';
import type { Call } from '../tool.ts';
import {
  type Day,
  datesBetween,
  dayAt,
  drawAbsent,
  drawWeather,
  kilometres,
  type Place,
  type WeatherData,
} from './data.ts';
import { meanOf, sumOf, WeatherInstance, yearBefore } from './instance.ts';
import { WeatherOriginal } from './original.ts';
import { airLevel } from './station.ts';
import { type Quantity, toolFor } from './tools.ts';

/** Three places other than the user's, and a number of days. */
interface Scene {
  draw: Draw;
  data: WeatherData;
  place: Place;
  other: Place;
  third: Place;
  days: number;
}

const getToday = callOf('get_user_current_date');
const getHome = callOf('get_user_current_location');
const locate = ({ name }: Place) => callOf('get_latitude_longitude', { name });
const at = ({ latitude, longitude }: Place) => ({ latitude, longitude });
const elevation = (place: Place) => callOf('get_elevation', at(place));
const distance = (from: Place, to: Place) =>
  callOf('get_distance', {
    ...{ latitude1: from.latitude, longitude1: from.longitude },
    ...{ latitude2: to.latitude, longitude2: to.longitude },
  });

/** Call for the days from `first` to `last`, counted from today. */
function weather(quantity: Quantity, place: Place, { data }: Scene, first: number, last = first): Call {
  const [start_date, end_date] = [addDays(data.today, first), addDays(data.today, last)];
  if (first === 0) return callOf(toolFor(quantity, 'current'), { ...at(place), current_date: data.today });
  return callOf(toolFor(quantity, first < 0 ? 'historical' : 'forecast'), { ...at(place), start_date, end_date });
}

const dayOf = (place: Place, { data }: Scene, days: number) => dayAt(place, addDays(data.today, days));
const daysOf = (place: Place, { data }: Scene, first: number, last: number): Day[] =>
  datesBetween(addDays(data.today, first), addDays(data.today, last)).map((date) => dayAt(place, date));
const difference = (a: number, b: number) => tenths(Math.abs(a - b));

/** Date of the day with the largest value; the first one of several. */
function dateOfMost(place: Place, { data }: Scene, first: number, last: number, of: (day: Day) => number): string {
  const dates = datesBetween(addDays(data.today, first), addDays(data.today, last));
  const values = dates.map((date) => of(dayAt(place, date)));
  return dates[values.indexOf(Math.max(...values))];
}

function sceneOf(draw: Draw): Scene {
  const data = drawWeather(draw);
  const [place, other, third] = draw.random.shuffle(data.places.slice(1));
  return { draw, data, place, other, third, days: draw.random.between(2, 5) };
}

const template = templateMaker({
  sceneOf,
  instanceOf: (question: Question<WeatherData>) => new WeatherInstance(question),
  originalOf: (instance) => new WeatherOriginal(instance),
  namesOf: ({ places }: WeatherData) => places.map(({ name }) => name),
});

/** Calls for one place, after today's date. */
const look = (place: Place, ...calls: Call[]) => [getToday, locate(place), ...calls];
const celsius = 'Answer in °C with a number.';

const temperatures: readonly Template[] = [
  template('max-yesterday', 'question', (scene) => ({
    goal: `What was the highest temperature in ${scene.place.name} yesterday? ${celsius}`,
    answer: dayOf(scene.place, scene, -1).max,
    reads: look(scene.place, weather('temp', scene.place, scene, -1)),
  })),
  template('min-on-day', 'question', (scene) => ({
    goal: `What was the lowest temperature in ${scene.place.name} on ${addDays(scene.data.today, -20 - scene.days)}? ${celsius}`,
    answer: dayOf(scene.place, scene, -20 - scene.days).min,
    reads: look(scene.place, weather('temp', scene.place, scene, -20 - scene.days)),
  })),
  template('mean-here-yesterday', 'question', (scene) => ({
    goal: `What was the mean temperature here yesterday? ${celsius}`,
    answer: dayOf(scene.data.home, scene, -1).mean,
    reads: [getHome, ...look(scene.data.home, weather('temp', scene.data.home, scene, -1))],
  })),
  template('max-tomorrow', 'question', (scene) => ({
    goal: `How warm will it be in ${scene.place.name} tomorrow at most? ${celsius}`,
    answer: dayOf(scene.place, scene, 1).max,
    reads: look(scene.place, weather('temp', scene.place, scene, 1)),
  })),
  template('mean-today', 'question', (scene) => ({
    goal: `What is the mean temperature in ${scene.place.name} today? ${celsius}`,
    answer: dayOf(scene.place, scene, 0).mean,
    reads: look(scene.place, weather('temp', scene.place, scene, 0)),
  })),
  template('range-tomorrow', 'question', (scene) => ({
    goal: `Between which temperatures will it be in ${scene.place.name} tomorrow? Answer with a list of the lowest and the highest.`,
    answer: [dayOf(scene.place, scene, 1).min, dayOf(scene.place, scene, 1).max],
    reads: look(scene.place, weather('temp', scene.place, scene, 1)),
  })),
  template('mean-of-highest', 'question', (scene) => ({
    goal: `What was the average of the highest temperatures in ${scene.place.name} over the last ${scene.days} days, without today? Answer in °C with one decimal.`,
    answer: meanOf(daysOf(scene.place, scene, -scene.days, -1).map(({ max }) => max)),
    reads: look(scene.place, weather('temp', scene.place, scene, -scene.days, -1)),
  })),
  template('hottest-day', 'question', (scene) => ({
    goal: `Which of the last ${scene.days} days, without today, had the highest temperature in ${scene.place.name}? ${ask.date}`,
    answer: dateOfMost(scene.place, scene, -scene.days, -1, ({ max }) => max),
    reads: look(scene.place, weather('temp', scene.place, scene, -scene.days, -1)),
  })),
  template('warmer-than-yesterday', 'question', (scene) => ({
    goal: `Is the mean temperature in ${scene.place.name} today higher than yesterday? ${ask.yes}`,
    answer: yesNo(dayOf(scene.place, scene, 0).mean > dayOf(scene.place, scene, -1).mean),
    reads: look(scene.place, weather('temp', scene.place, scene, 0), weather('temp', scene.place, scene, -1)),
  })),
  template('change-in-a-year', 'question', (scene) => {
    const before = yearBefore(scene.data.today);
    const past = { ...at(scene.place), start_date: before, end_date: before };
    return {
      goal: `By how much do the highest temperatures of today and of the same day a year ago differ in ${scene.place.name}? ${celsius}`,
      answer: difference(dayOf(scene.place, scene, 0).max, dayAt(scene.place, before).max),
      reads: look(scene.place, weather('temp', scene.place, scene, 0), callOf('get_historical_temp', past)),
    };
  }),
  template('warmer-place', 'question', (scene) => {
    const [a, b] = [scene.place, scene.other];
    return {
      goal: `Where was the mean temperature of yesterday higher, in ${a.name} or in ${b.name}? ${ask.name}`,
      answer: dayOf(a, scene, -1).mean > dayOf(b, scene, -1).mean ? a.name : b.name,
      reads: [getToday, locate(a), weather('temp', a, scene, -1), locate(b), weather('temp', b, scene, -1)],
    };
  }),
  template('places-differ', 'question', (scene) => {
    const [a, b] = [scene.place, scene.other];
    return {
      goal: `By how much do today's mean temperatures of ${a.name} and ${b.name} differ? ${celsius}`,
      answer: difference(dayOf(a, scene, 0).mean, dayOf(b, scene, 0).mean),
      reads: [getToday, locate(a), weather('temp', a, scene, 0), locate(b), weather('temp', b, scene, 0)],
    };
  }),
  template(
    'coldest-ahead',
    'question',
    (scene) => ({
      goal: `Which of the next ${scene.days} days, without today, will have the lowest temperature in ${scene.place.name}? ${ask.date}`,
      answer: dateOfMost(scene.place, scene, 1, scene.days, ({ min }) => -min),
      reads: look(scene.place, weather('temp', scene.place, scene, 1, scene.days)),
    }),
    true,
  ),
];

const rainAndSnow: readonly Template[] = [
  template('rain-of-days', 'question', (scene) => ({
    goal: `How much rain fell in ${scene.place.name} in the last ${scene.days} days together, without today? Answer in mm with a number.`,
    answer: sumOf(daysOf(scene.place, scene, -scene.days, -1).map(({ rain }) => rain)),
    reads: look(scene.place, weather('rain', scene.place, scene, -scene.days, -1)),
  })),
  template('rainy-days-ahead', 'question', (scene) => ({
    goal: `On how many of the next ${scene.days} days, without today, will it rain in ${scene.place.name}? ${ask.number}`,
    answer: daysOf(scene.place, scene, 1, scene.days).filter(({ rain }) => rain > 0).length,
    reads: look(scene.place, weather('rain', scene.place, scene, 1, scene.days)),
  })),
  template('umbrella', 'question', (scene) => ({
    goal: `Will it rain in ${scene.place.name} tomorrow? ${ask.yes}`,
    answer: yesNo(dayOf(scene.place, scene, 1).rain > 0),
    reads: look(scene.place, weather('rain', scene.place, scene, 1)),
  })),
  template('rain-today', 'question', (scene) => ({
    goal: `How much rain falls in ${scene.place.name} today? Answer in mm with a number.`,
    answer: dayOf(scene.place, scene, 0).rain,
    reads: look(scene.place, weather('rain', scene.place, scene, 0)),
  })),
  template('snow-yesterday', 'question', (scene) => ({
    goal: `How much snow fell in ${scene.place.name} yesterday? Answer in cm with a number.`,
    answer: dayOf(scene.place, scene, -1).snow,
    reads: look(scene.place, weather('snow', scene.place, scene, -1)),
  })),
  template('snow-ahead', 'question', (scene) => ({
    goal: `Will it snow in ${scene.place.name} within the next ${scene.days} days, without today? ${ask.yes}`,
    answer: yesNo(daysOf(scene.place, scene, 1, scene.days).some(({ snow }) => snow > 0)),
    reads: look(scene.place, weather('snow', scene.place, scene, 1, scene.days)),
  })),
  template(
    'wetter-place',
    'question',
    (scene) => {
      const [a, b] = [scene.place, scene.other];
      const [first, second] = [a, b].map((each) => sumOf(daysOf(each, scene, -7, -1).map(({ rain }) => rain)));
      return {
        goal: `Did ${a.name} get more rain than ${b.name} in the last 7 days together, without today? ${ask.yes}`,
        answer: yesNo(first > second),
        reads: [getToday, locate(a), weather('rain', a, scene, -7, -1), locate(b), weather('rain', b, scene, -7, -1)],
      };
    },
    true,
  ),
];

const air: readonly Template[] = [
  template('air-today', 'question', (scene) => ({
    goal: `What is the index of the air's quality in ${scene.place.name} today? ${ask.number}`,
    answer: dayOf(scene.place, scene, 0).air,
    reads: look(scene.place, weather('air_quality_index', scene.place, scene, 0)),
  })),
  template('air-level', 'question', (scene) => {
    const { air: index } = dayOf(scene.place, scene, -1);
    return {
      goal: `What was the level of the air's quality in ${scene.place.name} yesterday? Answer with the level.`,
      answer: airLevel(index),
      reads: look(
        scene.place,
        weather('air_quality_index', scene.place, scene, -1),
        callOf('get_air_quality_level', { air_quality_index: index }),
      ),
    };
  }),
  template('air-better', 'question', (scene) => ({
    goal: `Is the index of the air's quality in ${scene.place.name} lower today than yesterday? ${ask.yes}`,
    answer: yesNo(dayOf(scene.place, scene, 0).air < dayOf(scene.place, scene, -1).air),
    reads: look(
      scene.place,
      weather('air_quality_index', scene.place, scene, 0),
      weather('air_quality_index', scene.place, scene, -1),
    ),
  })),
  template(
    'best-air',
    'question',
    (scene) => ({
      goal: `Which of the last ${scene.days} days, without today, had the lowest index of the air's quality in ${scene.place.name}? ${ask.date}`,
      answer: dateOfMost(scene.place, scene, -scene.days, -1, ({ air: index }) => -index),
      reads: look(scene.place, weather('air_quality_index', scene.place, scene, -scene.days, -1)),
    }),
    true,
  ),
];

const geography: readonly Template[] = [
  template('elevation-of', 'question', ({ place }) => ({
    goal: `How high does ${place.name} lie? Answer in metres with a number.`,
    answer: place.elevation,
    reads: [locate(place), elevation(place)],
  })),
  template('higher-place', 'question', ({ place, other }) => ({
    goal: `Which lies higher, ${place.name} or ${other.name}? ${ask.name}`,
    answer: place.elevation > other.elevation ? place.name : other.name,
    reads: [locate(place), elevation(place), locate(other), elevation(other)],
  })),
  template('latitude-of', 'question', ({ place }) => ({
    goal: `Does ${place.name} lie north of the equator? ${ask.yes}`,
    answer: yesNo(place.latitude > 0),
    reads: [locate(place)],
  })),
  template('distance-of', 'question', ({ place, other }) => ({
    goal: `How far is ${place.name} from ${other.name}? Answer in kilometres with a number.`,
    answer: kilometres(place, other),
    reads: [locate(place), locate(other), distance(place, other)],
  })),
  template('distance-from-here', 'question', ({ data: { home }, place }) => ({
    goal: `How far is ${place.name} from here? Answer in kilometres with a number.`,
    answer: kilometres(home, place),
    reads: [getHome, locate(home), locate(place), distance(home, place)],
  })),
  template('nearest', 'question', ({ place, other, third }) => ({
    goal: `Which is nearer to ${place.name}, ${other.name} or ${third.name}? ${ask.name}`,
    answer: kilometres(place, other) < kilometres(place, third) ? other.name : third.name,
    reads: [locate(place), locate(other), distance(place, other), locate(third), distance(place, third)],
  })),
  template(
    'highest-of-three',
    'question',
    ({ place, other, third }) => ({
      goal: `Which lies highest, ${place.name}, ${other.name} or ${third.name}? ${ask.name}`,
      answer: [place, other, third].sort((a, b) => b.elevation - a.elevation)[0].name,
      reads: [place, other, third].flatMap((each) => [locate(each), elevation(each)]),
    }),
    true,
  ),
];

const impossibles: readonly Template[] = [
  template('missing-place', 'impossible', ({ draw, data }) => {
    const name = drawAbsent(draw, data);
    return {
      goal: `How high does ${name} lie? Answer in metres with a number.`,
      reads: draw.options.upstream ? [] : [callOf('get_latitude_longitude', { name })],
      named: [name],
    };
  }),
  template('wind', 'impossible', ({ place }) => ({
    goal: `How strong is the wind in ${place.name} today? Answer in km/h with a number.`,
  })),
  template('people-of', 'impossible', ({ place }) => ({
    goal: `How many people live in ${place.name}? ${ask.number}`,
  })),
  template(
    'sunrise',
    'impossible',
    ({ place }) => ({ goal: `When does the sun rise in ${place.name} tomorrow? Answer with the time.` }),
    true,
  ),
];

/** All templates; a task's id contains its place in this list. */
export const weatherTemplates: readonly Template[] = [
  ...temperatures,
  ...rainAndSnow,
  ...air,
  ...geography,
  ...impossibles,
];
