/** Tools of the weather family, by the names and arguments of AgentGym's (agentenv-tool, MIT). Sentences are our own. */
import { answerTool, listingTool, type Parameter, type Tool, text } from '../tool.ts';

const number = (description: string): Parameter => ({ type: 'number', description });
const latitude = number('Latitude in degrees, from get_latitude_longitude.');
const longitude = number('Longitude in degrees, from get_latitude_longitude.');
const span = {
  ...{ latitude, longitude },
  start_date: text('First day, written YYYY-MM-DD.'),
  end_date: text('Last day, written YYYY-MM-DD.'),
};
const today = { latitude, longitude, current_date: text("Today's date, written YYYY-MM-DD.") };

export const weatherTools: readonly Tool[] = [
  { name: 'get_user_current_date', description: "Returns today's date.", parameters: {} },
  { name: 'get_user_current_location', description: "Returns the user's place.", parameters: {} },
  { name: 'get_historical_temp', description: 'Returns the temperatures of days before today.', parameters: span },
  { name: 'get_historical_rain', description: 'Returns the rain of days before today.', parameters: span },
  { name: 'get_historical_snow', description: 'Returns the snow of days before today.', parameters: span },
  { name: 'get_snow_forecast', description: 'Returns the snow of days after today.', parameters: span },
  { name: 'get_current_snow', description: "Returns today's snow.", parameters: today },
  { name: 'get_current_temp', description: "Returns today's temperatures.", parameters: today },
  {
    name: 'get_latitude_longitude',
    description: 'Finds a place by its name.',
    parameters: { name: text('Name of the place.') },
  },
  { name: 'get_elevation', description: 'Returns the elevation in metres.', parameters: { latitude, longitude } },
  { name: 'get_temp_forecast', description: 'Returns the temperatures of days after today.', parameters: span },
  { name: 'get_rain_forecast', description: 'Returns the rain of days after today.', parameters: span },
  { name: 'get_current_rain', description: "Returns today's rain.", parameters: today },
  {
    name: 'get_distance',
    description: 'Returns the distance of two places in kilometres.',
    parameters: { latitude1: latitude, longitude1: longitude, latitude2: latitude, longitude2: longitude },
  },
  {
    name: 'get_historical_air_quality_index',
    description: "Returns the index of the air's quality on days before today.",
    parameters: span,
  },
  {
    name: 'get_current_air_quality_index',
    description: "Returns today's index of the air's quality.",
    parameters: today,
  },
  {
    name: 'get_air_quality_level',
    description: 'Names the level of an index of the air’s quality, from good to extremely poor.',
    parameters: { air_quality_index: number('An index.') },
  },
  listingTool,
  answerTool,
];

/** Quantity that a tool returns, and the days that it covers. */
export type Quantity = 'temp' | 'rain' | 'snow' | 'air_quality_index';
export type Period = 'historical' | 'current' | 'forecast';

/** Name of the tool for a quantity and a period. */
export const toolFor = (quantity: Quantity, period: Period): string =>
  period === 'forecast' ? `get_${quantity}_forecast` : `get_${period}_${quantity}`;

const quantities: readonly Quantity[] = ['temp', 'rain', 'snow', 'air_quality_index'];
const periods: readonly Period[] = ['historical', 'current', 'forecast'];

/** Quantity and period of a tool; undefined for the others. */
export const seriesOf: { readonly [tool: string]: { quantity: Quantity; period: Period } | undefined } =
  Object.fromEntries(
    quantities.flatMap((quantity) => periods.map((period) => [toolFor(quantity, period), { quantity, period }])),
  );
