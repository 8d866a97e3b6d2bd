/**
 * Reads a call of a tool from an agent's text in three forms, and writes it: AgentGym's (`Action: NAME with Action
 * Input: {...}`), a tool call of OpenAI's form (JSON with `name` and `arguments`, as Qwen's `<tool_call>` has it), and a
 * command (`NAME value value`). Arguments are parsed as data and never evaluated.
 */
import { withPlainCalls } from '../../envs/call-forms.ts';
import type { Json } from '../../envs/env.ts';
import {
  type Literal,
  LiteralDict,
  LiteralSet,
  LiteralTuple,
  literalRepr,
  parseLiteral,
} from '../../python/literal.ts';
import { valuesOf } from './command.ts';
import type { Arguments, Call, Parameter, Tool } from './tool.ts';

/** An action that is no valid call. Its message is the world's answer. */
export class CallError extends Error {
  override name = 'CallError';
}

/** JSON value of a literal: tuples and sets become lists; whole numbers beyond 2^53 become texts. */
export function jsonOf(value: Literal): Json {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(jsonOf);
  if (value instanceof LiteralTuple || value instanceof LiteralSet) return value.items.map(jsonOf);
  if (value instanceof LiteralDict)
    return Object.fromEntries(
      [...value.entries.values()].map(([key, each]) => [
        typeof key === 'string' ? key : literalRepr(key),
        jsonOf(each),
      ]),
    );
  return value;
}

/** Literal of a JSON value: whole numbers become ints. */
export function literalOf(value: Json): Literal {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(literalOf);
  if (value === null || typeof value !== 'object') return value;
  const dict = new LiteralDict();
  for (const [key, each] of Object.entries(value)) dict.set(key, literalOf(each));
  return dict;
}

const isObject = (value: unknown): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Value of a literal; undefined for a text that is none. */
function literalOrNone(source: string): Json | undefined {
  try {
    return jsonOf(parseLiteral(source, { json: true }));
  } catch {
    return undefined;
  }
}

const noObject = () => new CallError('The arguments must be one JSON object, for example {"name": "value"}.');

function literalIn(source: string): Json {
  const value = literalOrNone(source);
  if (value === undefined) throw noObject();
  return value;
}

/** Arguments of OpenAI's form: an object, or the text of one. */
function argumentsOf(given: Json | undefined): Arguments {
  const value = typeof given === 'string' ? literalIn(given || '{}') : (given ?? {});
  if (!isObject(value)) throw noObject();
  return value;
}

function fromToolCall(value: Json): Call {
  const list = isObject(value) && Array.isArray(value.tool_calls) ? value.tool_calls : [value];
  if (list.length !== 1) throw new CallError('A turn has exactly one call.');
  const [only] = list;
  const call = isObject(only) && isObject(only.function) ? only.function : only;
  if (!isObject(call) || typeof call.name !== 'string')
    throw new CallError('A tool call is a JSON object with "name" and "arguments".');
  return { name: call.name, arguments: argumentsOf(call.arguments ?? call.parameters) };
}

/** Text after the last mark, or null. */
function after(text: string, mark: string): string | null {
  const at = text.lastIndexOf(mark);
  return at < 0 ? null : text.slice(at + mark.length);
}

const inputMark = 'with Action Input:';

/** AgentGym's form: the name before the last mark, and the object after it. */
function fromAgentGym(text: string): Call {
  const at = text.lastIndexOf(inputMark);
  const before = text.slice(0, at).trimEnd();
  const name = (after(before, 'Action:') ?? before.slice(before.lastIndexOf('\n') + 1)).trim();
  const input = text.slice(at + inputMark.length);
  const [start, end] = [input.indexOf('{'), input.lastIndexOf('}')];
  return { name, arguments: argumentsOf(literalIn(start < 0 ? input.trim() || '{}' : input.slice(start, end + 1))) };
}

function fromCommand(text: string, tools: readonly Tool[]): Call {
  const line = text.trim();
  const name = /^\S*/.exec(line)![0];
  const tool = toolNamed(name, tools);
  const parameters = Object.keys(tool.parameters);
  const rest = line.slice(name.length);
  if (!parameters.length && rest.trim()) throw new CallError(`${name} takes no arguments.`);
  const values = valuesOf(rest, parameters.length);
  return { name, arguments: Object.fromEntries(values.map((value, k) => [parameters[k], value])) };
}

function toolNamed(name: string, tools: readonly Tool[]): Tool {
  const found = tools.find((each) => each.name === name);
  if (found) return found;
  const known = tools.map((each) => each.name).join(', ');
  throw new CallError(`There is no tool "${[...name].slice(0, 60).join('')}". The tools are: ${known}.`);
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const converters: { readonly [type: string]: (value: Json) => Json | undefined } = {
  string: (value) => (isScalar(value) ? String(value) : undefined),
  integer: (value) => (Number.isSafeInteger(numberOf(value)) ? numberOf(value) : undefined),
  number: (value) => (Number.isFinite(numberOf(value)) ? numberOf(value) : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : truths.get(String(value).toLowerCase())),
  array: (value) => {
    const list = typeof value === 'string' ? literalOrNone(value) : value;
    return Array.isArray(list) ? list : undefined;
  },
};

const isScalar = (value: Json) => ['string', 'number', 'boolean'].includes(typeof value);
const numberOf = (value: Json) =>
  typeof value === 'number' ? value : typeof value === 'string' && value.trim() ? Number(value) : Number.NaN;

/** The value in a type of the parameter: its own if it is of one, otherwise the first to which it can be converted. */
function converted(value: Json, { type, enum: choices }: Parameter): Json | undefined {
  const types = typeof type === 'string' ? [type] : type;
  const own = Array.isArray(value) ? 'array' : typeof value;
  const isOwn = types.some((each) => each === own || (each === 'integer' && Number.isInteger(value)));
  const asText = types.includes('array') && typeof value === 'string' && /^\s*\[/.test(value);
  const results = types.map((each) => converters[each](value)).filter((each) => each !== undefined);
  const result = isOwn && !asText ? value : asText ? (converters.array(value) ?? value) : results[0];
  return choices && !choices.includes(result as never) ? undefined : result;
}

const typeName = ({ type, enum: choices }: Parameter) =>
  choices ? `one of ${choices.map((each) => JSON.stringify(each)).join(', ')}` : `a ${[type].flat().join(' or ')}`;

/** The call with arguments in the types of its schema. Throws CallError. */
function checked({ name, arguments: given }: Call, tools: readonly Tool[]): Call {
  const tool = toolNamed(name, tools);
  const { parameters, optional = [] } = tool;
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(parameters, key));
  const named = Object.keys(parameters).join(', ') || 'none';
  if (unknown !== undefined)
    throw new CallError(`${name} has no argument "${[...unknown].slice(0, 60).join('')}". Its arguments: ${named}.`);
  const entries = Object.entries(parameters).flatMap(([key, parameter]): [string, Json][] => {
    if (!Object.hasOwn(given, key)) {
      if (optional.includes(key)) return [];
      throw new CallError(`${name} needs the argument "${key}". Its arguments: ${named}.`);
    }
    const value = converted(given[key], parameter);
    if (value === undefined) throw new CallError(`"${key}" of ${name} must be ${typeName(parameter)}.`);
    return [[key, value]];
  });
  return { name, arguments: Object.fromEntries(entries) };
}

/** Reads an action in any of the three forms, or a call as models write it. Throws CallError with the answer to the agent. */
export function readCall(text: string, tools: readonly Tool[]): Call {
  return checked(callIn(withPlainCalls(text), tools), tools);
}

function callIn(text: string, tools: readonly Tool[]): Call {
  if (text.includes(inputMark)) return fromAgentGym(text);
  const tagged = after(text, '<tool_call>');
  if (tagged !== null) {
    if (text.indexOf('<tool_call>') !== text.lastIndexOf('<tool_call>'))
      throw new CallError('A turn has exactly one call.');
    return fromToolCall(literalIn(tagged.split('</tool_call>')[0].trim()));
  }
  const action = (after(text, 'Action:') ?? text).trim();
  return action.startsWith('{') ? fromToolCall(literalIn(action)) : fromCommand(action, tools);
}

/** A text as it is, another value as JSON. */
export const plainText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The call as a command. */
export function commandOf({ name, arguments: given }: Call): string {
  const values = Object.values(given).map((value, k, all) => {
    const plain = plainText(value);
    return k < all.length - 1 && (/\s|^"/.test(plain) || plain === '') ? JSON.stringify(plain) : plain;
  });
  return [name, ...values].join(' ');
}

/** The call in AgentGym's form. */
export const agentGymAction = ({ name, arguments: given }: Call): string =>
  `Action: ${name} with Action Input: ${literalRepr(literalOf(given as Json))}`;
