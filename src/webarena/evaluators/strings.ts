/**
 * WebArena's judges of texts (evaluation_harness/evaluators.py: StringEvaluator). Both texts are cleaned before
 * comparison (one pair of quotes removed, lower case), even if the caller has already cleaned them. Independent of any
 * page.
 */
import { strip } from '../../python/text.ts';
import { tokens } from './tokens.ts';

function cleanAnswer(answer: string): string {
  const text = strip(answer);
  for (const quote of ["'", '"'])
    if (text.startsWith(quote) && text.endsWith(quote)) return text.slice(1, -1).toLowerCase();
  return text.toLowerCase();
}

export function exactMatch(reference: string, answer: string): boolean {
  return cleanAnswer(answer) === cleanAnswer(reference);
}

/**
 * True if the answer contains the reference. With `tokenize`, a reference of a single character must be a token of the
 * answer.
 */
export function mustInclude(reference: string, answer: string, tokenize: boolean): boolean {
  const wanted = cleanAnswer(reference);
  const text = cleanAnswer(answer);
  const single = tokenize && [...wanted].length === 1 && tokens(wanted).length === 1;
  return single ? tokens(text).includes(wanted) : text.includes(wanted);
}

/** References that an answer is compared with: an exact text, a list of texts to include, or references for a judge. */
export interface ReferenceAnswers {
  exact_match?: string;
  must_include?: readonly string[];
  fuzzy_match?: 'N/A' | readonly string[];
}

/** A language model as judge of meaning: receives a prompt and returns its reply. */
export type Judge = (message: string) => Promise<string>;

/** No judge is available, or its reply contains none of the expected verdicts. */
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

/** True if the judge's reply contains `yes` and none of `no`. */
async function verdict(judge: Judge, message: string, yes: string, no: readonly string[]): Promise<boolean> {
  const reply = (await judge(message)).toLowerCase();
  if (no.some((word) => reply.includes(word))) return false;
  if (!reply.includes(yes))
    throw new JudgeError(`The judge's reply contains neither "${yes}" nor "${no.join('" nor "')}": ${reply}`);
  return true;
}

/** An entry of a reference has the wrong type for its rule; the original fails there too. */
export class ReferenceAnswerError extends Error {
  override name = 'ReferenceAnswerError';
}

function textOf(value: unknown, rule: string): string {
  if (typeof value !== 'string')
    throw new ReferenceAnswerError(`${rule} must be a string (it is ${JSON.stringify(value)}).`);
  return value;
}

function listOf(value: unknown, rule: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ReferenceAnswerError(`${rule} must be a list (it is ${JSON.stringify(value)}).`);
  return value;
}

interface AnswerContext {
  intent: string;
  /** Reason for which the task cannot be done; absent if it can. */
  note?: string;
  judge: Judge;
}

async function unachievable(answer: string, { intent, note, judge }: AnswerContext): Promise<boolean> {
  if (note === undefined) throw new ReferenceAnswerError('A task that cannot be done needs its string_note.');
  return verdict(judge, unachievableMessage(note, answer, intent), 'same', ['different']);
}

/**
 * `soFar` is true if all rules so far hold. For an unachievable task the original asks the judge whenever its score is
 * not yet 1, and the verdict then replaces the score, whatever the earlier rules returned.
 */
async function fuzzyMatch(value: unknown, answer: string, context: AnswerContext, soFar: boolean): Promise<boolean> {
  if (value === 'N/A') return (soFar && exactMatch('N/A', answer)) || unachievable(answer, context);
  let all = soFar;
  for (const entry of listOf(value, 'fuzzy_match')) {
    const message = fuzzyMessage(textOf(entry, 'fuzzy_match'), answer, context.intent);
    if (!(await verdict(context.judge, message, 'correct', ['partially correct', 'incorrect']))) all = false;
  }
  return all;
}

function includesAll(value: unknown, answer: string): boolean {
  const list = listOf(value, 'must_include');
  return list.map((entry) => mustInclude(textOf(entry, 'must_include'), answer, list.length === 1)).every(Boolean);
}

/** Returns true if this rule and all earlier rules hold. `soFar` is the result of the earlier rules. */
type Rule = (value: unknown, answer: string, context: AnswerContext, soFar: boolean) => Promise<boolean> | boolean;
const rules: { [name: string]: Rule } = {
  exact_match: (value, answer, _, soFar) => exactMatch(textOf(value, 'exact_match'), answer) && soFar,
  must_include: (value, answer, _, soFar) => includesAll(value, answer) && soFar,
  fuzzy_match: fuzzyMatch,
};

/**
 * True if all rules hold. All rules are evaluated in the task's order, even after one has failed, so that every judge
 * is called.
 */
export async function matchesAnswer(
  references: ReferenceAnswers,
  answer: string,
  context: AnswerContext,
): Promise<boolean> {
  const cleaned = cleanAnswer(answer);
  let all = true;
  for (const [name, value] of Object.entries(references))
    if (Object.hasOwn(rules, name)) all = await rules[name](value, cleaned, context, all);
  return all;
}
