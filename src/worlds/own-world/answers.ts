/** Reads what a typed world returned, as JSON texts from its realm, and refuses anything of another form. */
import type { Json } from '../../envs/env.ts';
import { most } from './bounds.ts';

/** An answer of another form than the contract's. The message names the function, the value and the bound. */
export class AnswerError extends Error {
  override name = 'AnswerError';
}

function refuse(what: string): never {
  throw new AnswerError(what);
}

export interface Answer {
  text: string;
  reward: number;
  done: boolean;
  /** null: the code left it open. */
  valid: boolean | null;
  /** null: none are listed; 0: the same list as before. */
  actions: readonly string[] | null | 0;
}

const isTexts = (value: unknown, longest: number, count: number): value is string[] =>
  Array.isArray(value) &&
  value.length <= count &&
  value.every((each) => typeof each === 'string' && each.length <= longest);

/** Answer of `reset` or `step`. */
export function readAnswer(name: 'reset' | 'step', json: string): Answer {
  const value = JSON.parse(json) as unknown;
  if (!Array.isArray(value)) return refuse(`${name}(): the answer has another form.`);
  const [text, reward, done, valid, actions] = value as unknown[];
  if (typeof text !== 'string' || text.length > most.text) return refuse(`${name}(): the text has another form.`);
  if (typeof reward !== 'number') return refuse(`${name}(): the reward must be a finite number.`);
  if (typeof done !== 'boolean' || (valid !== null && typeof valid !== 'boolean'))
    return refuse(`${name}(): done and valid must be true or false.`);
  if (actions !== null && actions !== 0) checkActions(actions);
  return { text, reward, done, valid, actions: actions as Answer['actions'] };
}

/** Control characters: an action is one line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u001f\u007f\ud800-\udfff]/u;

function checkActions(actions: unknown): void {
  const problem = problemOf(actions);
  if (problem) refuse(`validActions()${problem}`);
}

function problemOf(actions: unknown): string {
  if (!isTexts(actions, most.action, most.actions)) return ' must list texts.';
  if (actions.length === 0) return ' returned an empty list. End the episode with done, or return null for no list.';
  const bad = actions.findIndex((action) => action.trim() === '' || control.test(action));
  if (bad >= 0) return `: action ${bad} is ${JSON.stringify(actions[bad])}; it must be one line that is not blank.`;
  return new Set(actions).size < actions.length ? ' lists an action twice.' : '';
}

/** Tasks without repeats, as JSON texts in the code's order. */
export function readTasks(json: string): string[] {
  const value = JSON.parse(json) as unknown;
  if (!Array.isArray(value)) return refuse('tasks() must return a list.');
  if (value.length === 0) return refuse('tasks() returned no task; it must return at least one.');
  if (value.length > most.tasks)
    return refuse(`tasks() returned ${value.length} tasks; at most ${most.tasks} are allowed.`);
  const texts = value.map((task) => JSON.stringify(task));
  const long = texts.findIndex(({ length }) => length > most.task);
  if (long >= 0)
    return refuse(`Task ${long} has ${texts[long].length} characters as JSON; at most ${most.task} are allowed.`);
  return [...new Set(texts)];
}

/** An oracle's answer: its remaining actions, its next one, or null for no plan. */
export function readPlan(json: string): string[] | string | null {
  const value = JSON.parse(json) as Json;
  if (value === null) return null;
  if (typeof value === 'string' && value.length <= most.action) return value;
  if (isTexts(value, most.action, most.plan)) return value;
  return refuse(
    `oracle() must return an action, a list of at most ${most.plan} actions of at most ${most.action} characters, or null.`,
  );
}

/** Value of a view. */
export function readViewValue(json: string): unknown {
  if (json.length > most.view)
    return refuse(`view(): the view has ${json.length} characters as JSON; at most ${most.view} are allowed.`);
  return JSON.parse(json) as unknown;
}
