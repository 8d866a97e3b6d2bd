/**
 * WebArena's judges of texts (evaluation_harness/evaluators.py: StringEvaluator). A text is cleaned (one pair of quotes off, lower
 * case) before it is compared, also where its caller has cleaned it already. Knows no page.
 */
import { strip } from '../python.ts';
import { tokens } from './words.ts';

function cleanAnswer(answer: string): string {
  const text = strip(answer);
  for (const quote of ["'", '"'])
    if (text.startsWith(quote) && text.endsWith(quote)) return text.slice(1, -1).toLowerCase();
  return text.toLowerCase();
}

export function exactMatch(reference: string, answer: string): boolean {
  return cleanAnswer(answer) === cleanAnswer(reference);
}

/** Contained as it stands; with `tokenize`, a reference of a single character must be one of the answer's tokens. */
export function mustInclude(reference: string, answer: string, tokenize: boolean): boolean {
  const wanted = cleanAnswer(reference);
  const text = cleanAnswer(answer);
  const single = tokenize && [...wanted].length === 1 && tokens(wanted).length === 1;
  return single ? tokens(text).includes(wanted) : text.includes(wanted);
}

/** What an answer is held against. A list that must be included, an exact text, or what a judge decides. */
export interface ReferenceAnswers {
  exact_match?: string;
  must_include?: readonly string[];
  fuzzy_match?: 'N/A' | readonly string[];
}

/** A judge of meaning: a language model, asked with these words. */
export type Judge = (message: string) => Promise<string>;

/** No judge is there, or it said neither of the words it was asked for. */
export class JudgeError extends Error {
  override name = 'JudgeError';
}

function fuzzyMessage(reference: string, answer: string, question: string): string {
  return (
    'Help a teacher to grade the answer of a student given a question. Keep in mind that the student may use different phrasing ' +
    'or wording to answer the question. The goal is to evaluate whether the answer is semantically equivalent to the reference answer.\n' +
    `question: ${question}\n` +
    `reference answer: ${reference}\n` +
    "all the string 'N/A' that you see is a special sequence that means 'not achievable'\n" +
    `student answer: ${answer}\n` +
    'Conclude the judgement by correct/incorrect/partially correct.'
  );
}

function unachievableMessage(reference: string, answer: string, question: string): string {
  return (
    `task: ${question}\n` +
    `actual unachievable reason: ${reference}\n` +
    `reported unachievable reason: ${answer}\n` +
    "The task described above is inherently unachievable due to the reason specified under 'actual unachievable reason'. " +
    'An individual previously attempted this task and was unable to complete it. They provided a reason for their failure, ' +
    "which is listed under 'reported unachievable reason'. Your role is to review both the actual and reported reasons. " +
    'Determine if the reported reason aligns with the actual reason, even if implicitly. ' +
    "If the stated reason is in line with the actual reason, respond with 'same'. Otherwise, respond with 'different'."
  );
}

/** True where the judge said `yes` and none of `no`. */
async function verdict(judge: Judge, message: string, yes: string, no: readonly string[]): Promise<boolean> {
  const reply = (await judge(message)).toLowerCase();
  if (no.some((word) => reply.includes(word))) return false;
  if (!reply.includes(yes))
    throw new JudgeError(`The judge said neither "${yes}" nor "${no.join('" nor "')}": ${reply}`);
  return true;
}

/** An entry of a reference is of another kind than its rule takes; the original stops there too. */
export class ReferenceAnswerError extends Error {
  override name = 'ReferenceAnswerError';
}

function textOf(value: unknown, rule: string): string {
  if (typeof value !== 'string')
    throw new ReferenceAnswerError(`${rule} takes texts (it is ${JSON.stringify(value)}).`);
  return value;
}

function listOf(value: unknown, rule: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ReferenceAnswerError(`${rule} takes a list (it is ${JSON.stringify(value)}).`);
  return value;
}

interface Asked {
  intent: string;
  /** Why the task cannot be done; absent where it can. */
  note?: string;
  judge: Judge;
}

async function unachievable(answer: string, { intent, note, judge }: Asked): Promise<boolean> {
  if (note === undefined) throw new ReferenceAnswerError('A task that cannot be done needs its string_note.');
  return verdict(judge, unachievableMessage(note, answer, intent), 'same', ['different']);
}

/**
 * `before`: whether all rules so far hold. The original asks the judge of what cannot be done wherever its score is not 1 yet, and
 * the verdict then takes the score's place, whatever rules before it said.
 */
async function fuzzyMatch(value: unknown, answer: string, asked: Asked, before: boolean): Promise<boolean> {
  if (value === 'N/A') return (before && exactMatch('N/A', answer)) || unachievable(answer, asked);
  let all = before;
  for (const entry of listOf(value, 'fuzzy_match')) {
    const message = fuzzyMessage(textOf(entry, 'fuzzy_match'), answer, asked.intent);
    if (!(await verdict(asked.judge, message, 'correct', ['partially correct', 'incorrect']))) all = false;
  }
  return all;
}

function includesAll(value: unknown, answer: string): boolean {
  const list = listOf(value, 'must_include');
  return list.map((entry) => mustInclude(textOf(entry, 'must_include'), answer, list.length === 1)).every(Boolean);
}

/** Whether all rules up to this one hold, given whether those before it do. */
type Rule = (value: unknown, answer: string, asked: Asked, before: boolean) => Promise<boolean> | boolean;
const rules: { [name: string]: Rule } = {
  exact_match: (value, answer, _, before) => exactMatch(textOf(value, 'exact_match'), answer) && before,
  must_include: (value, answer, _, before) => includesAll(value, answer) && before,
  fuzzy_match: fuzzyMatch,
};

/** All rules hold. Every one is asked, in the task's order, so that a judge hears of each. */
export async function matchesAnswer(references: ReferenceAnswers, answer: string, asked: Asked): Promise<boolean> {
  const cleaned = cleanAnswer(answer);
  let all = true;
  for (const [name, value] of Object.entries(references))
    if (Object.hasOwn(rules, name)) all = await rules[name](value, cleaned, asked, all);
  return all;
}
