/** Question with several answers, one of which is right. */
import * as v from 'valibot';
import { textSchema } from '../words.ts';
import { type TaskKind, taskFields } from './task.ts';

const schema = v.pipe(
  v.strictObject({
    ...taskFields,
    kind: v.literal('choice'),
    choices: v.pipe(v.array(textSchema), v.minLength(2, 'must have at least 2'), v.maxLength(12)),
    /** Position of the right one, from 0. Absent in the pupils' copy. */
    answer: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  }),
  v.check(({ choices, answer = 0 }) => answer < choices.length, 'answer must be the position of a choice'),
);

type Choice = v.InferOutput<typeof schema>;

export const choice: TaskKind<Choice> = {
  schema,
  forPupils: ({ answer: _answer, ...task }) => task,
  check({ choices, answer }, given) {
    const chosen = typeof given.answer === 'number' ? choices[given.answer]?.en : undefined;
    const measured = chosen ?? 'no answer';
    if (answer === undefined) return { passed: null, measured, needed: 'the key has no answer' };
    return { passed: given.answer === answer, measured, needed: choices[answer].en };
  },
};
