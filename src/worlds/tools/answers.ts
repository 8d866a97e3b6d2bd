/** Comparison of a final answer with the right one, and the offered answers that need no text. */
import type { Json } from '../../envs/env.ts';
import { doneAnswer, impossible } from './family.ts';

/** Largest whole number among the answers that are always offered. */
const largestOffered = 12;

/** Answers that are offered from the start. */
export const plainAnswers: readonly Json[] = [
  doneAnswer,
  impossible,
  'Yes',
  'No',
  ...Array.from({ length: largestOffered + 1 }, (_, n) => n),
];

/** Maximum number of nested lists of an answer that are compared. */
const mostDepth = 8;

/** Form in which answers are compared: without case and outer spaces; numbers by value; lists without order. */
function plain(value: Json, depth = 0): string {
  if (Array.isArray(value)) {
    if (depth >= mostDepth) return '?';
    return `[${value
      .map((each) => plain(each, depth + 1))
      .sort()
      .join('\u0000')}]`;
  }
  if (value !== null && typeof value === 'object') return '{}';
  const text = String(value).trim();
  const number = /^[+-]?(\d+(?:\.\d*)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? String(Math.round(number * 1e6) / 1e6) : text.toLowerCase().replace(/\s+/g, ' ');
}

/** True if the answer is right: equal as texts without case, as numbers, or as lists in any order. */
export const isRightAnswer = (given: Json, right: Json): boolean => plain(given) === plain(right);
