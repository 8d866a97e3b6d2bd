/** `handin.json`, the part of a handed-in file that a run's file does not have: answers, log, and the name that was typed. */
import * as v from 'valibot';
import { type Assignment, assignmentHash } from './assignment.ts';
import { type LogEntry, logOf, logSchema } from './log.ts';

const format = 'tabgym-handin-1';
export const partName = 'handin.json';

export const handInSchema = v.strictObject({
  format: v.literal(format),
  /** Hash of the assignment. */
  assignment: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** Name as the pupil typed it; may be empty. */
  pupil: v.pipe(v.string(), v.maxLength(120)),
  answers: v.record(v.string(), v.unknown()),
  log: logSchema,
});

export type HandInDocument = v.InferOutput<typeof handInSchema>;

export interface HandInParts {
  assignment: Assignment;
  pupil: string;
  answers: { readonly [task: string]: unknown };
  log: readonly LogEntry[];
}

/** The part as a file of a run. Answers to other assignments' tasks are left out. */
export function handInPart({ assignment, pupil, answers, log }: HandInParts): { [name: string]: Uint8Array } {
  const hash = assignmentHash(assignment);
  const ids = assignment.tasks.map(({ id }) => id);
  const document: HandInDocument = {
    format,
    assignment: hash,
    pupil: pupil.trim().slice(0, 120),
    answers: Object.fromEntries(Object.entries(answers).filter(([id]) => ids.includes(id))),
    log: logOf(hash, log),
  };
  return { [partName]: new TextEncoder().encode(JSON.stringify(document, null, 1)) };
}
