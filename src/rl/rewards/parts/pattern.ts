/**
 * Regular expression over the episode's texts. It runs in the sandbox, because some patterns take time that grows
 * exponentially with the text.
 */
import * as v from 'valibot';
import { choice, field, option, text } from '../../../fields/fields.ts';
import type { Trajectory } from '../../episode/trajectory.ts';
import { partFields, type RewardPart } from '../part.ts';
import { inSandbox } from '../sandboxed.ts';
import prelude from '../text/pattern.js?raw';
import { replyOf } from '../texts.ts';

const sources = ['replies', 'actions', 'observations'] as const;

const compiles = (source: string): boolean => {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
};

const schema = v.strictObject({
  kind: v.literal('pattern'),
  ...partFields(),
  pattern: field(v.pipe(text(1, 1000), v.check(compiles, 'must be a regular expression of JavaScript (flag u)')), {
    label: 'Regular expression',
    sentence: 'Pattern that is searched in each text of the episode.',
    level: 'basic',
    kind: 'text',
  }),
  in: option(choice(sources), 'replies', {
    label: 'Searched texts',
    sentence: "Texts that are searched: the policy's replies, its actions, or the world's answers.",
    level: 'basic',
    choiceLabels: { replies: 'Replies', actions: 'Actions', observations: 'Answers of the world' },
  }),
  counts: option(choice(['any', 'share', 'number']), 'any', {
    label: 'Value of a match',
    sentence: 'Value of the part: 1 if any text matches, the share of texts that match, or their number.',
    level: 'basic',
    choiceLabels: { any: '1 if any matches', share: 'Share that matches', number: 'Number that matches' },
  }),
});
type Settings = v.InferOutput<typeof schema>;

const textsOf = ({ turns }: Trajectory, source: Settings['in']): string[] =>
  turns.map((turn) => {
    if (source === 'replies') return replyOf(turn);
    return source === 'actions' ? turn.action : turn.observation;
  });

const readings: { readonly [counts in Settings['counts']]: (matches: number, texts: number) => number } = {
  any: (matches) => (matches > 0 ? 1 : 0),
  share: (matches, texts) => (texts ? matches / texts : 0),
  number: (matches) => matches,
};

export const pattern = {
  kind: 'pattern',
  label: 'Regular expression',
  sentence: 'Searches a pattern in the texts of the episode.',
  schema,
  start: { pattern: '^get' },
  values: async (trajectories, settings, services) => {
    const texts = trajectories.map((each) => textsOf(each, settings.in));
    const call = { prelude, code: '', file: 'pattern', values: { pattern: settings.pattern } };
    const matches = await inSandbox(texts, call, services);
    return matches.map((count, b) => readings[settings.counts](count, texts[b].length));
  },
} satisfies RewardPart<Settings>;
