/**
 * Reads a reply as AgentGym's tool servers do (agentenv-tool at 3ef9235, Toolusage/toolusage/utils/tool/helpers.py): two
 * regular expressions, whose matches are found here in linear time. The input is read as a literal; the original
 * evaluates it.
 */
import { type Literal, parseLiteral } from '../../python/literal.ts';
import { space } from '../../python/text.ts';
import { PythonError } from './family.ts';

const mark = () => new RegExp(`with[${space}]*Action Input:`, 'g');
const leading = new RegExp(`^[${space}]*`);
const isSpace = new RegExp(`[${space}]`);

const withoutLeading = (text: string) => text.replace(leading, '');

function withoutTrailing(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace.test(text[end - 1])) end--;
  return text.slice(0, end);
}

/** Text of the last group, which reaches to the end in one line; null if another line follows. */
function lastGroup(tail: string): string | null {
  const rest = withoutLeading(tail);
  const line = rest.endsWith('\n') ? rest.slice(0, -1) : rest;
  return line.includes('\n') ? null : line;
}

/** First match of `\s*(.*?)\s*with\s*Action Input:\s*(.*?)$` without flags, or null. */
export function extract(text: string): { action: string; input: string } | null {
  for (const found of text.matchAll(mark())) {
    const input = lastGroup(text.slice(found.index + found[0].length));
    if (input === null) continue;
    const before = withoutTrailing(text.slice(0, found.index));
    return { action: withoutLeading(before.slice(before.lastIndexOf('\n') + 1)), input };
  }
  return null;
}

/** Name and input after the first `Action:` that is followed by an input; null if there is none. */
function nameAndInput(line: string): { name: string; source: string } | null {
  const at = line.indexOf('Action:');
  if (at < 0) return null;
  const rest = withoutLeading(line.slice(at + 'Action:'.length));
  const found = mark().exec(rest);
  if (!found) return null;
  return {
    name: withoutTrailing(rest.slice(0, found.index)),
    source: withoutLeading(rest.slice(found.index + found[0].length)),
  };
}

/** Name and input of an action, after `extract`. Throws PythonError with the original's message. */
export function parseAction({ action, input }: { action: string; input: string }): { name: string; input: Literal } {
  const found = nameAndInput(`${action} with Action Input: ${input}`);
  if (!found) throw new PythonError('TypeError', 'cannot unpack non-iterable NoneType object');
  try {
    return { name: found.name, input: parseLiteral(found.source) };
  } catch {
    throw new PythonError('Exception', 'Parameters in action input are not valid, please change your action input.');
  }
}
