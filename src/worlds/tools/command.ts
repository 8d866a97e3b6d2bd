/** The command form of a call, `NAME value value`: its values, and the same call in AgentGym's form. */
import type { Json } from '../../envs/env.ts';
import type { ToolCall } from '../../envs/tools.ts';
import type { Parameter, Tool } from './tool.ts';

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Values of a command: words, or texts in double quotes; the last of `count` takes the rest. */
export function valuesOf(rest: string, count: number): string[] {
  const values: string[] = [];
  let left = rest.trim();
  while (left && values.length < count - 1) {
    const quoted = /^"(?:[^"\\]|\\.)*"(?=\s|$)/.exec(left)?.[0];
    const value = quoted ?? /^\S+/.exec(left)![0];
    values.push(quoted === undefined ? value : unquoted(quoted));
    left = left.slice(value.length).trimStart();
  }
  return left ? [...values, left] : values;
}

const numeric = new Set(['integer', 'number']);

/** A value of a command in the first type of its parameter, if it can be read as one. */
function typed(value: string, { type }: Parameter): Json {
  const [first] = [type].flat();
  if (numeric.has(first) && value.trim() && Number.isFinite(Number(value))) return Number(value);
  if (first === 'boolean' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  if (first !== 'array') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The call that a command stands for, with its values as texts; null: it names none of these tools. */
function commandIn(action: string, tools: readonly Tool[]): { tool: Tool; values: [string, string][] } | null {
  const name = /^\S*/.exec(action)![0];
  const tool = tools.find((each) => each.name === name);
  if (!tool) return null;
  const parameters = Object.keys(tool.parameters);
  const values = valuesOf(action.slice(name.length), parameters.length);
  return { tool, values: values.map((value, k): [string, string] => [parameters[k], value]) };
}

/** The call that a command stands for, with arguments in the types of its schema; null: it names none of these tools. */
export function callOfCommand(action: string, tools: readonly Tool[]): ToolCall | null {
  const command = commandIn(action, tools);
  if (!command) return null;
  const { tool, values } = command;
  const given = values.map(([key, value]) => [key, typed(value, tool.parameters[key])]);
  return { name: tool.name, arguments: Object.fromEntries(given) };
}

/** A reply with this action in AgentGym's form. An action that is not a command of these tools stays as it is. */
export function replyWith(action: string, tools: readonly Tool[]): string {
  const command = commandIn(action, tools);
  if (!command) return /^\s*Action:/.test(action) ? action : `Action: ${action}`;
  return `Action: ${command.tool.name} with Action Input: ${JSON.stringify(Object.fromEntries(command.values))}`;
}
