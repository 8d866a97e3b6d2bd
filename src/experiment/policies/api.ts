/** A model behind an OpenAI-compatible server: it is asked for replies in words, acts, and does not learn. Its key is no part of a document. */
import * as v from 'valibot';
import { field } from '../fields.ts';
import { definePolicy } from './kind.ts';

const isWebAddress = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
const withoutLogin = (text: string) => !URL.canParse(text) || !(new URL(text).username || new URL(text).password);

const schema = v.strictObject({
  kind: v.literal('api'),
  address: v.optional(
    field(
      v.pipe(
        v.string(),
        v.maxLength(500),
        v.check(isWebAddress, 'must be an address that begins with http:// or https://'),
        v.check(withoutLogin, 'must hold no name and no password: a key is kept apart from the document'),
      ),
      {
        label: 'Address',
        sentence:
          "Where an OpenAI-compatible server is: the part before /chat/completions, as in the one that this project's serve prints.",
        level: 'basic',
        change: 'restart',
      },
    ),
    'http://127.0.0.1:36001/v1',
  ),
  // Not the `model` of other kinds: it is no repository.
  name: field(v.pipe(v.string(), v.nonEmpty('must name a model'), v.maxLength(200)), {
    label: 'Model',
    sentence: 'What the server calls the model.',
    level: 'basic',
    change: 'restart',
  }),
  contextTurns: v.optional(
    field(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000)), {
      label: 'Turns remembered',
      sentence: 'How many of the last turns the model is shown again, after the first words; 0 shows all of them.',
      unit: 'turns',
      change: 'restart',
    }),
    0,
  ),
});

export type ApiPolicy = v.InferOutput<typeof schema>;

/** A served model, to play. */
export const asked = (address: string, name: string) => ({ kind: 'api' as const, address, name });

export const api = definePolicy({
  facts: {
    label: 'Model behind an API',
    sentence: 'A model behind an OpenAI-compatible server plays as a baseline and does not train.',
    summary: '{name} behind an API, plays only',
    trains: false,
    playsOnly: 'A model behind an API plays and does not train',
    exports: false,
    ownWeights: false,
    languageModel: true,
    planned: false,
  },
  schema,
  start: () => v.parse(schema, asked('http://127.0.0.1:36001/v1', 'textcraft-first')),
  problems: () => [],
});
