/** Format: share of the turns whose reply has a given form. */
import * as v from 'valibot';
import { choice, option } from '../../../fields/fields.ts';
import type { Turn } from '../../episode/trajectory.ts';
import { partFields, type RewardPart } from '../part.ts';
import { replyOf } from '../texts.ts';

const forms = ['accepted', 'thought-action', 'think-tags', 'json'] as const;
type Form = (typeof forms)[number];

const schema = v.strictObject({
  kind: v.literal('format'),
  ...partFields(),
  form: option(choice(forms), 'accepted', {
    label: 'Form',
    sentence: 'Form that a reply must have.',
    level: 'basic',
    choiceLabels: {
      accepted: 'An action that the world accepts',
      'thought-action': 'Thought: …, then Action: …',
      'think-tags': '<think>…</think>, then text',
      json: 'A JSON object',
    },
  }),
});

/** True if the text is a JSON object. */
function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** True if the marks stand in the text in this order, the first at its beginning, with text after each. */
function inOrder(text: string, marks: readonly string[]): boolean {
  const trimmed = text.trim();
  if (!trimmed.startsWith(marks[0])) return false;
  const parts: string[] = [];
  let at = marks[0].length;
  for (const mark of marks.slice(1)) {
    const found = trimmed.indexOf(mark, at);
    if (found < 0) return false;
    parts.push(trimmed.slice(at, found));
    at = found + mark.length;
  }
  return [...parts, trimmed.slice(at)].every((part) => part.trim() !== '');
}

const hasForm: { readonly [form in Form]: (turn: Turn) => boolean } = {
  accepted: ({ valid }) => valid,
  'thought-action': (turn) => inOrder(replyOf(turn), ['Thought:', 'Action:']),
  'think-tags': (turn) => inOrder(replyOf(turn), ['<think>', '</think>']),
  json: (turn) => isObject(replyOf(turn)),
};

export const format = {
  kind: 'format',
  label: 'Format of the reply',
  sentence: 'Share of the turns whose reply has the form.',
  schema,
  values: (trajectories, { form }) =>
    trajectories.map(({ turns }) => (turns.length ? turns.filter(hasForm[form]).length / turns.length : 0)),
} satisfies RewardPart<v.InferOutput<typeof schema>>;
