/** Validates a server's answers by schema. Errors name the wrong field, or quote the error that the server reported. */
import * as v from 'valibot';
import { AnswerError } from '../../envs/transport/http.ts';
import type { Answer } from './kind.ts';

/** The server answered with status 200 and an error message, most often because the id is unknown to it. */
class RefusedError extends AnswerError {
  override name = 'RefusedError';
}

const brief = (text: string) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);
const glimpse = (value: unknown) => brief(JSON.stringify(value) ?? String(value));

/**
 * Validates an answer; a mismatch throws an error with the path of the wrong field. `what` is the request, for the
 * message.
 */
export function readAnswer<const S extends v.GenericSchema>(what: string, schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const refusal = (value as { error?: unknown } | null)?.error;
  if (typeof refusal === 'string') throw new RefusedError(`the server refuses ${what}: ${brief(refusal)}`, 200);
  const [issue] = result.issues;
  throw new AnswerError(
    `${what} was answered with ${glimpse(value)}: ${v.getDotPath(issue) ?? 'it'} ${issue.message}`,
    200,
  );
}

export const text = v.string('must be a text');
export const number = v.pipe(v.number('must be a number'), v.finite('must be finite'));
export const flag = v.boolean('must be true or false');
export const texts = v.array(text, 'must be a list of texts');
const id = v.pipe(number, v.integer('must be a whole number'));

const ObservedSchema = v.object({ observation: text }, 'must be an object');
const IdSchema = v.object({ id }, 'must be an object');
const AnswerSchema = v.object({ observation: text, reward: number, done: flag }, 'must be an object');
const StateSchema = v.object({ state: text, reward: number, done: flag }, 'must be an object');
const ScoreSchema = v.object({ observation: text, reward: number, score: number, done: flag }, 'must be an object');

export const observed = (what: string, value: unknown): string => readAnswer(what, ObservedSchema, value).observation;
export const bareText = (what: string, value: unknown): string => readAnswer(what, text, value);
/** Environment id, when the answer is the id itself. */
export const bareId = (value: unknown): number => readAnswer('POST /create', id, value);
export const idIn = (value: unknown): number => readAnswer('POST /create', IdSchema, value).id;

/** Answer with observation, reward and end. */
export const plainAnswer = (value: unknown): Answer => readAnswer('POST /step', AnswerSchema, value);
/** Answer that also has the score so far, which the original's client uses as the reward. */
export function scoreAnswer(value: unknown): Answer {
  const { observation, score, done } = readAnswer('POST /step', ScoreSchema, value);
  return { observation, reward: score, done };
}
/** Answer whose observation is in the field `state`. */
export function stateAnswer(value: unknown): Answer {
  const { state, reward, done } = readAnswer('POST /step', StateSchema, value);
  return { observation: state, reward, done };
}
