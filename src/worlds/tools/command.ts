/** The command form of a call, `NAME value value`: its values, and the same call in AgentGym's form. */
import type { Tool } from './tool.ts';

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

/** A reply with this action in AgentGym's form. An action that is not a command of these tools stays as it is. */
export function replyWith(action: string, tools: readonly Tool[]): string {
  const name = /^\S*/.exec(action)![0];
  const tool = tools.find((each) => each.name === name);
  if (!tool) return /^\s*Action:/.test(action) ? action : `Action: ${action}`;
  const parameters = Object.keys(tool.parameters);
  const values = valuesOf(action.slice(name.length), parameters.length);
  const input = JSON.stringify(Object.fromEntries(values.map((value, k) => [parameters[k], value])));
  return `Action: ${name} with Action Input: ${input}`;
}
