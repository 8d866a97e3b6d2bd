/**
 * Reads a call from an agent's text: a command (`query SELECT ...`), a statement or a fenced block of SQL alone, or a
 * tool call of OpenAI's form.
 */
import { withPlainCalls } from '../../envs/call-forms.ts';
import { type SqlTool, sqlTools } from './tools.ts';

export interface SqlCall {
  name: SqlTool['name'];
  /** Empty without an argument. */
  argument: string;
}

/** An action that is no call. Its message is the world's answer. */
export class CallError extends Error {
  override name = 'CallError';
}

/** The content of a fenced block, or the text itself. */
const withoutFence = (text: string): string => {
  const fenced = /```(?:\w+\s)?([\s\S]*?)(?:```|$)/.exec(text);
  return (fenced ? fenced[1] : text).trim();
};

function toolNamed(name: string): SqlTool {
  const found = sqlTools.find((each) => each.name === name);
  if (found) return found;
  const known = sqlTools.map((each) => each.name).join(', ');
  throw new CallError(`there is no tool "${[...name].slice(0, 60).join('')}"; the tools are ${known}`);
}

function checked({ name, argument }: SqlTool, given: string): SqlCall {
  if (!argument && given) throw new CallError(`${name} takes no argument`);
  if (argument && !argument.optional && !given) throw new CallError(`${name} needs the argument "${argument.name}"`);
  return { name, argument: given };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CallError('a tool call is a JSON object with "name" and "arguments"');
  }
}

const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The call in a value of OpenAI's form, alone or as `tool_calls` with one entry. */
function fromJson(value: unknown): SqlCall {
  const list = isObject(value) && Array.isArray(value.tool_calls) ? value.tool_calls : [value];
  const [only] = list;
  const call = isObject(only) && isObject(only.function) ? only.function : only;
  if (list.length !== 1 || !isObject(call) || typeof call.name !== 'string')
    throw new CallError('a turn has exactly one tool call with "name" and "arguments"');
  // Llama's templates write `parameters`.
  const written = call.arguments ?? call.parameters ?? {};
  const given = typeof written === 'string' ? parsed(written || '{}') : written;
  if (!isObject(given)) throw new CallError('the arguments must be one JSON object');
  const tool = toolNamed(call.name);
  const unknown = Object.keys(given).find((key) => key !== tool.argument?.name);
  if (unknown !== undefined)
    throw new CallError(`${tool.name} has no argument "${[...unknown].slice(0, 60).join('')}"`);
  const argument = given[tool.argument?.name ?? ''] ?? '';
  if (typeof argument !== 'string') throw new CallError(`"${tool.argument?.name}" of ${tool.name} must be a text`);
  return checked(tool, argument.trim());
}

/** The action in a reply: the text after the last "Action:", or a tool call. */
function actionIn(text: string): string {
  const at = text.lastIndexOf('Action:');
  return (at < 0 ? text : text.slice(at + 'Action:'.length)).trim();
}

/** Reads an action. Throws CallError with the answer to the agent. */
export function readCall(reply: string): SqlCall {
  const text = withPlainCalls(reply);
  const tag = '<tool_call>';
  const tagged = text.lastIndexOf(tag);
  if (tagged >= 0) {
    if (text.indexOf(tag) !== tagged) throw new CallError('a turn has exactly one tool call');
    return fromJson(parsed(text.slice(tagged + tag.length).split('</tool_call>')[0]));
  }
  const action = actionIn(text);
  if (action.startsWith('{')) return fromJson(parsed(action));
  if (/^(?:```|select\b|with\b|values\b|pragma\b|explain\b)/i.test(action))
    return { name: 'query', argument: withoutFence(action) };
  const [word] = /^\S*/.exec(action)!;
  const tool = toolNamed(word.toLowerCase());
  const rest = action.slice(word.length).trim();
  return checked(tool, tool.name === 'describe' ? rest.replace(/^["'`[]|["'`\]]$/g, '') : withoutFence(rest));
}

/** The call as a command. */
export const commandOf = ({ name, argument }: SqlCall): string => (argument ? `${name} ${argument}` : name);
