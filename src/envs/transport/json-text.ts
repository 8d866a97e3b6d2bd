/**
 * JSON of the other end of a connection, with a bound on its depth: JSON.parse reads a list nested a hundred thousand
 * deep, which JSON.stringify and every other walk through the value then fail on.
 */

/** A text whose lists and objects are nested too deeply. */
export class TooDeeplyNested extends SyntaxError {
  override name = 'TooDeeplyNested';
  constructor(readonly most: number) {
    super(`its lists and objects are nested more than ${most} deep`);
  }
}

/** Maximum depth of an answer of a server, whose format is its own. */
const mostInAnswers = 500;

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

/** Parses a JSON text. Throws `SyntaxError`, or `TooDeeplyNested` for one beyond the depth `most`. */
export function parseJsonText(text: string, most = mostInAnswers): unknown {
  // Each level takes two characters.
  if (text.length > 2 * most && nestingOf(text) > most) throw new TooDeeplyNested(most);
  return JSON.parse(text);
}
