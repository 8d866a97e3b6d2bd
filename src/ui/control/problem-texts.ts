/**
 * Translations of what is wrong with a setting, which the schema states in English. Loaded where the page has another
 * language. A problem without a translation stays as it is.
 */
import { msg, str } from '@lit/localize';
import { stepCount } from '../kit/counts.ts';
import type { Sentence } from './trainer-texts.ts';

/** What a person can type into a field, and choices between settings that exclude each other. */
const problemSentences: readonly Sentence[] = [
  ['is missing', () => msg('is missing')],
  ['there is no such field', () => msg('there is no such field')],
  ['must not be empty (it is {})', () => msg('must not be empty')],
  ['must be a text (it is {})', (given) => msg(str`must be a text (it is ${given})`)],
  [
    'must have at most {} characters (it is {})',
    (most, given) => msg(str`must have at most ${most} characters (it is ${given})`),
  ],
  ['must be at least {} (it is {})', (least, given) => msg(str`must be at least ${least} (it is ${given})`)],
  ['must be at most {} (it is {})', (most, given) => msg(str`must be at most ${most} (it is ${given})`)],
  ['must be a multiple of {} (it is {})', (unit, given) => msg(str`must be a multiple of ${unit} (it is ${given})`)],
  [
    'must be a whole number from {} to {} (it is {})',
    (least, most, given) => msg(str`must be a whole number from ${least} to ${most} (it is ${given})`),
  ],
  [
    'must be a number from {} to {} (it is {})',
    (least, most, given) => msg(str`must be a number from ${least} to ${most} (it is ${given})`),
  ],
  [
    'must be a number of turns from {} to {}, or {} (it is {})',
    (least, most, _, given) => msg(str`must be a number of turns from ${least} to ${most} (it is ${given})`),
  ],
  ['must have at least one of the {} (it is {})', () => msg('must have at least one choice')],
  [
    '{} is more than the {} groups of a step, which a minibatch never cuts',
    (minibatches, groups) =>
      msg(str`${minibatches} is more than the ${groups} groups of a step, which a minibatch never cuts`),
  ],
  [
    "they have {} steps together, more than the run's {}",
    (staged, steps) => msg(str`they have ${stepCount(Number(staged))} together, more than the run's ${steps}`),
  ],
  ['every weight is 0: at least one must be above 0', () => msg('every weight is 0: at least one must be above 0')],
  [
    'no world is evaluated: at least one must be, to measure success',
    () => msg('no world is evaluated: at least one must be, to measure success'),
  ],
];

/** Values of the message if it is this sentence as a whole; otherwise null. */
function valuesIn(message: string, english: string): string[] | null {
  const [first, ...parts] = english.split('{}');
  if (!message.startsWith(first)) return null;
  const values: string[] = [];
  let at = first.length;
  for (const [index, part] of parts.entries()) {
    const end = index === parts.length - 1 ? message.length - part.length : message.indexOf(part, at);
    if (end < at || !message.startsWith(part, end)) return null;
    values.push(message.slice(at, end));
    at = end + part.length;
  }
  return at === message.length ? values : null;
}

/** The problem in the page's language. */
export function translatedProblem(message: string): string {
  for (const [english, translate] of problemSentences) {
    const values = valuesIn(message, english);
    if (values) return translate(...values);
  }
  return message;
}
