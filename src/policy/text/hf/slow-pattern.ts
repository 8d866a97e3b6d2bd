/**
 * Patterns on which JavaScript's matcher may take time without end. A `tokenizer.json` may come from anybody, and its
 * pattern runs on every text. Oniguruma has the same weakness. Published tokenizers repeat single characters and
 * classes; what is refused here is a repeated group that itself repeats or chooses, such as `(a+)+` and `(a|a)*`, and
 * many repeats in one sequence.
 */

/** Repeats without a bound that one sequence may have: the time grows with the text's length to this power, and one. */
const mostRepeats = 4;
/** A group that repeats at most so often counts as not repeated. */
const fewTimes = 4;

interface Group {
  /** Repeats, options or choices inside, with which a text can be matched in several ways. */
  varies: boolean;
  /** Repeats without a bound in the alternative in progress, and the most of one alternative. */
  repeats: number;
  most: number;
}

const newGroup = (): Group => ({ varies: false, repeats: 0, most: 0 });
const quantifier = /(?:[*+?]|\{(\d{1,9})(,?)(\d{0,9})\})\??/y;
const groupStart = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/y;

/** End of a character class that begins at `at`. */
function classEnd(source: string, at: number): number {
  let depth = 0;
  for (let i = at; i < source.length; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === '[') depth++;
    else if (source[i] === ']' && --depth === 0) return i + 1;
  }
  return source.length;
}

/** Least and largest number of times that a quantifier allows. */
function timesOf([text, least, comma, most]: RegExpExecArray): [number, number] {
  if (least === undefined) return text[0] === '?' ? [0, 1] : [text[0] === '+' ? 1 : 0, Infinity];
  return [Number(least), comma === '' ? Number(least) : most === '' ? Infinity : Number(most)];
}

/** Reads a quantifier after an atom, which is `inner` if it is a group. Returns false for a slow one. */
function repeat(found: RegExpExecArray, group: Group, inner: Group | null): boolean {
  const [least, most] = timesOf(found);
  if (least === most && most <= fewTimes) return true;
  group.varies ||= least !== most;
  if (most > fewTimes) group.repeats++;
  return !(inner && most > fewTimes && inner.varies);
}

/** True for an expression whose time may be exponential, or a high power of the text's length. */
export function isSlow(source: string): boolean {
  const open: Group[] = [newGroup()];
  let inner: Group | null = null;
  for (let at = 0; at < source.length; ) {
    const group = open.at(-1)!;
    quantifier.lastIndex = at;
    const found = quantifier.exec(source);
    if (found) {
      if (!repeat(found, group, inner)) return true;
      at += found[0].length;
      inner = null;
      continue;
    }
    inner = null;
    const character = source[at];
    groupStart.lastIndex = at;
    if (character === '(') {
      open.push(newGroup());
      at += groupStart.exec(source)![0].length;
    } else if (character === ')' && open.length > 1) {
      inner = open.pop()!;
      const outer = open.at(-1)!;
      outer.varies ||= inner.varies;
      outer.repeats += Math.max(inner.most, inner.repeats);
      at++;
    } else if (character === '|') {
      group.varies = true;
      group.most = Math.max(group.most, group.repeats);
      group.repeats = 0;
      at++;
    } else at = character === '[' ? classEnd(source, at) : at + (character === '\\' ? 2 : 1);
    if (open.some(({ repeats }) => repeats > mostRepeats)) return true;
  }
  return open.some(({ repeats }) => repeats > mostRepeats);
}
