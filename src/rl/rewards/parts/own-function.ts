/** A function of the episode, typed by a person: JavaScript that runs in the sandbox. */
import * as v from 'valibot';
import { field, text } from '../../../fields/fields.ts';
import { partFields, type RewardPart } from '../part.ts';
import { inSandbox } from '../sandboxed.ts';
import prelude from '../text/own-function.js?raw';
import { episodeText } from '../texts.ts';

/** File name of the code in messages. */
const codeFile = 'reward.js';

/** Longest text of a reward function, in characters. */
const longestRewardCode = 20_000;

/** Code of a new part. */
const firstCode = `// Called once for each episode; returns its reward.
export function reward(episode) {
  const { turns, score, success, horizon } = episode;
  const refused = turns.filter((turn) => !turn.valid).length;
  return (success ? 1 : 0) - 0.1 * refused;
}
`;

const schema = v.strictObject({
  kind: v.literal('function'),
  ...partFields(),
  code: field(text(1, longestRewardCode), {
    label: 'Own function',
    sentence: 'JavaScript that runs in the sandbox: export function reward(episode), which returns a number.',
    kind: 'code',
    level: 'basic',
  }),
});

export const ownFunction = {
  kind: 'function',
  label: 'Own function',
  sentence: 'A JavaScript function of the whole episode.',
  schema,
  start: { code: firstCode },
  values: (trajectories, { code }, services) =>
    inSandbox(trajectories.map(episodeText), { prelude, code, file: codeFile }, services),
  code: ({ code }) => ({ field: 'code', code }),
} satisfies RewardPart<v.InferOutput<typeof schema>>;
