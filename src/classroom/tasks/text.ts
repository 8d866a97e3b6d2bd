/** Question that is answered in words, which the teacher reads. */
import * as v from 'valibot';
import { type TaskKind, taskFields } from './task.ts';

const schema = v.strictObject({
  ...taskFields,
  kind: v.literal('text'),
  /** Notes for the teacher. Absent in the pupils' copy. */
  expected: v.optional(v.pipe(v.string(), v.maxLength(4000))),
});

type Text = v.InferOutput<typeof schema>;

export const text: TaskKind<Text> = {
  schema,
  forPupils: ({ expected: _expected, ...task }) => task,
  check({ expected = '' }, { answer }) {
    const given = typeof answer === 'string' ? answer.trim() : '';
    return { passed: given ? null : false, measured: given || 'no answer', needed: expected || 'read by the teacher' };
  },
};
