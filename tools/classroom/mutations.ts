/** Mutations of a handed-in file, and the verdict on how each is graded. */
import { isDeepStrictEqual } from 'node:util';
import type { Assignment } from '../../src/classroom/assignment.ts';
import { type GradeOptions, grade, type Result } from '../../src/classroom/grade.ts';
import { openHandIn } from '../../src/classroom/hand-in.ts';
import { RefusedError } from '../../src/classroom/refused.ts';
import { changedValue, generator, withBytesChanged } from '../fuzz/mutations.ts';
import { type Parts, partsOf, withNewHashes } from './forgeries.ts';

/** Parts whose values a pupil does not type. */
const values = ['tabgym.json', 'experiment.json', 'steps.jsonl'];

const encode = (text: string) => new TextEncoder().encode(text);

/** One value of a part changed, or a few bytes of one that is not JSON; all hashes are made anew. */
function withPartChanged(parts: Parts, random: (below: number) => number): Uint8Array {
  const names = Object.keys(parts).filter((name) => !/\.json/.test(name));
  const name = random(2) ? values[random(values.length)] : names[random(names.length)];
  if (!values.includes(name)) return withNewHashes({ ...parts, [name]: withBytesChanged(parts[name], random) });
  const text = new TextDecoder().decode(parts[name]).trim();
  const lines = name === 'steps.jsonl' ? text.split('\n') : [text];
  const at = random(lines.length);
  lines[at] = JSON.stringify(changedValue(JSON.parse(lines[at]), random)) ?? 'null';
  return withNewHashes({ ...parts, [name]: encode(lines.join('\n') + (name === 'steps.jsonl' ? '\n' : '')) });
}

/** Mutation number `n` of a file; null: it cannot be packed again. */
export function mutated(file: Uint8Array, seed: number, n: number): Uint8Array | null {
  const random = generator(seed * 1_000_003 + n);
  if (n % 2) return withBytesChanged(file, random);
  try {
    return withPartChanged(partsOf(file), random);
  } catch {
    return null;
  }
}

/** Part of a result that a mark or a table shows. */
function shown(result: Result) {
  if (result.status === 'refused') return null;
  const { points, tasks, curve, changes, pupil, code } = result;
  return { points, tasks, curve, changes, pupil, code };
}

export type Verdict = 'refused' | 'same' | 'otherwise' | 'unnamed';

/** Grades a mutated file: refused by name, graded as the original, or a fault. */
export async function verdictOn(
  bytes: Uint8Array,
  original: { opened: unknown; result: Result },
  assignment: Assignment,
  options: GradeOptions,
): Promise<{ verdict: Verdict; words: string }> {
  try {
    const opened = openHandIn(bytes, 'a', assignment);
    // Everything that grading reads is equal, so the mark is.
    if (isDeepStrictEqual(opened, original.opened)) return { verdict: 'same', words: '' };
    const result = await grade(assignment, { file: 'a', bytes }, options);
    if (result.status === 'refused') return { verdict: 'refused', words: result.reason };
    const verdict = isDeepStrictEqual(shown(result), shown(original.result)) ? 'same' : 'otherwise';
    return { verdict, words: JSON.stringify(shown(result)).slice(0, 300) };
  } catch (error) {
    if (error instanceof RefusedError) return { verdict: 'refused', words: error.reason };
    return { verdict: 'unnamed', words: `${(error as Error).name}: ${(error as Error).message}`.slice(0, 300) };
  }
}
