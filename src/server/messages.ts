/**
 * JSON messages of OpenEnv, JSON-RPC and OpenAI's protocol, and the texts of theirs that an answer repeats. Both have
 * bounds: JSON.parse reads a list nested a hundred thousand deep, which JSON.stringify and every other walk through the
 * value then fail on. AgentGym's bodies are read as Python reads them (`agentgym/json.ts`).
 */

/** Maximum depth of nested lists and objects. Messages of these protocols need fewer than ten. */
const MOST_NESTED = 100;
/** Maximum number of characters of a name or an id that an answer repeats. */
const mostShown = 200;

/** A message that is not JSON, or is nested too deeply. */
class UnreadableMessage extends SyntaxError {
  override name = 'UnreadableMessage';
}

/** Deepest nesting of lists and objects in a JSON text. */
function nestingOf(text: string): number {
  let [depth, deepest, quoted] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepest;
}

/** Parses a message. Throws `UnreadableMessage`. */
export function parseMessage(text: string): unknown {
  if (nestingOf(text) > MOST_NESTED)
    throw new UnreadableMessage(`its lists and objects are nested more than ${MOST_NESTED} deep`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableMessage((error as Error).message);
  }
}

/** A value of a message, as an error repeats it. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}… [cut: it has ${text.length} characters]`;
}
