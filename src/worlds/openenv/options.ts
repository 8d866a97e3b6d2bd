/**
 * Options of an OpenEnv world: its episodes, the format of observations and actions, and the reward of a success.
 * Independent of any server.
 */
import * as v from 'valibot';
import { itemsIn } from '../../envs/item-list.ts';
import { optionsReader } from '../../envs/options.ts';
import { choice, option, real, text } from '../../fields/fields.ts';

const itemList = v.pipe(
  text(0, 10_000),
  v.check((list) => itemsIn(list) !== null, 'must be numbers and ranges with commas between, as in 0-99, 120'),
);
const isSchema = (given: string) => {
  if (given.trim() === '') return true;
  try {
    const value: unknown = JSON.parse(given);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

const schema = v.strictObject({
  trainItems: option(itemList, '0-999', {
    label: 'Training episodes',
    sentence: 'Seeds (or task indices) of the training episodes, as numbers and ranges separated by commas.',
    level: 'basic',
  }),
  testItems: option(itemList, '1000000-1000199', {
    label: 'Held-out episodes',
    sentence: 'Seeds (or task indices) available for evaluations; they should not be used in training.',
    level: 'basic',
  }),
  taskBy: option(choice(['seed', 'index']), 'seed', {
    label: 'An episode is',
    sentence:
      "Meaning of an episode's number: a seed, or the index of a task within its split, for servers that list tasks.",
    level: 'basic',
    choiceLabels: { seed: 'a seed', index: 'a task of the split' },
  }),
  successReward: option(real(-1e6, 1e6), 1, {
    label: 'Success from',
    sentence: 'Lowest reward at which an episode counts as a success.',
    level: 'basic',
  }),
  reward: option(choice(['sum', 'last']), 'sum', {
    label: 'Reward of an episode',
    sentence: 'Reward of an episode: the sum of its rewards, or the last one.',
    choiceLabels: { sum: 'The sum', last: 'The last' },
  }),
  observationField: option(text(0, 200), '', {
    label: 'What is read',
    sentence:
      'Field of an observation that the agent reads, with dots for nested fields; empty for the text field, or all fields as JSON if there is none.',
  }),
  actionSchema: option(v.pipe(text(0, 100_000), v.check(isSchema, 'must be a JSON Schema: an object in JSON')), '', {
    label: 'Action schema',
    sentence:
      "The server's JSON Schema of an action, if it cannot be requested (in a page it mostly cannot); empty to request it from the server.",
  }),
  instruction: option(text(0, 100_000), '', {
    label: 'Instruction',
    sentence: 'Instruction for a language model; empty for a short text on the format of answers.',
  }),
});

export type OpenEnvOptions = v.InferOutput<typeof schema>;

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseOpenEnvOptions = optionsReader('OpenEnv', schema);
