/**
 * Options of an OpenEnv world: its episodes, the format of observations and actions, and the reward of a success.
 * Independent of any server.
 */
import * as v from 'valibot';
import { itemsIn } from '../../envs/item-list.ts';
import { oneOf, option, optionsReader, real } from '../../envs/options.ts';

const text = (most: number) =>
  v.pipe(v.string('must be a text'), v.maxLength(most, `must have at most ${most.toLocaleString('en')} characters`));
const itemList = v.pipe(
  text(10_000),
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
    sentence: 'The seeds (or the tasks) that episodes are begun with, as numbers and ranges with commas between.',
    level: 'basic',
  }),
  testItems: option(itemList, '1000000-1000199', {
    label: 'Held-out episodes',
    sentence: 'The seeds (or the tasks) that an evaluation asks; the server should not have been trained on them.',
    level: 'basic',
  }),
  taskBy: option(oneOf(['seed', 'index']), 'seed', {
    label: 'An episode is',
    sentence:
      'Whether a number is the seed of an episode, or the index of a task of its split, for a server that lists tasks.',
    level: 'basic',
    choiceLabels: { seed: 'a seed', index: 'a task of the split' },
  }),
  successReward: option(real(-1e6, 1e6), 1, {
    label: 'Success from',
    sentence: 'The reward of an episode from which it counts as a success.',
    level: 'basic',
  }),
  reward: option(oneOf(['sum', 'last']), 'sum', {
    label: 'Reward of an episode',
    sentence: 'Whether an episode is worth the sum of its rewards or the last of them.',
    choiceLabels: { sum: 'The sum', last: 'The last' },
  }),
  observationField: option(text(200), '', {
    label: 'What is read',
    sentence:
      'The field of an observation that the agent reads, with dots into it; empty: the one that is a text, else all as JSON.',
  }),
  actionSchema: option(v.pipe(text(100_000), v.check(isSchema, 'must be a JSON Schema: an object in JSON')), '', {
    label: 'Action schema',
    sentence:
      "The server's JSON Schema of an action, where it cannot be asked for it (a page cannot, mostly); empty: it is asked.",
  }),
  instruction: option(text(100_000), '', {
    label: 'Instruction',
    sentence: 'What a language model is told first; empty: how to answer, in a few words.',
  }),
});

export type OpenEnvOptions = v.InferOutput<typeof schema>;

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseOpenEnvOptions = optionsReader('OpenEnv', schema);
