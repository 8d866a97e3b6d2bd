/** A model behind an OpenAI-compatible server: it plays and does not train. Its key is kept apart from the document. */
import * as v from 'valibot';
import { field, option, text, webAddress, whole } from '../../fields/fields.ts';
import { definePolicy } from './kind.ts';

const schema = v.strictObject({
  kind: v.literal('api'),
  address: option(webAddress(), 'http://127.0.0.1:36001/v1', {
    label: 'Address',
    sentence: 'Address of an OpenAI-compatible server: the part before /chat/completions, as npm run serve prints it.',
    level: 'basic',
    change: 'restart',
  }),
  // Not called `model` as in other kinds, where the value may be a repository.
  name: field(text(1, 200), {
    label: 'Model',
    sentence: 'Name of the model on the server.',
    level: 'basic',
    change: 'restart',
  }),
  contextTurns: option(whole(0, 1000), 0, {
    label: 'Turns remembered',
    sentence: "Number of latest turns in each prompt, after the task's opening; 0 for all.",
    unit: 'turns',
    change: 'restart',
  }),
  replyTokens: option(whole(1, 1_000_000), 256, {
    label: 'Reply length',
    sentence:
      'Most tokens of one reply of the model, with its reasoning: a model that reasons before it answers needs thousands.',
    unit: 'tokens',
    level: 'basic',
    change: 'restart',
  }),
});

/** Settings of a served model. */
export const apiPolicy = (address: string, name: string, replyTokens?: number) => ({
  kind: 'api' as const,
  address,
  name,
  ...(replyTokens !== undefined && { replyTokens }),
});

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
  start: () => v.parse(schema, apiPolicy('http://127.0.0.1:36001/v1', 'textcraft-first')),
  problems: () => [],
});
