/**
 * Patterns on which JavaScript's matcher may take minutes. A `tokenizer.json` may come from anybody, and its pattern runs
 * on every text. Oniguruma has the same weakness. Refused are a repeated group that itself repeats or chooses, such as
 * `(a+)+` and `(a|a)*`, and sequences that can be matched in many ways before a part that may fail: `a*a*b` takes 1.2 s on
 * 1,000 characters, and 1,000 times as long on 10,000. Published tokenizers have one such repeat in a sequence
 * (`\s*[\r\n]+`), so their time is the square of the text's length.
 */

/** Ways that a repeat without a bound counts as. */
const repeatWays = 64;
/** Ways that one sequence may have, which allows one repeat without a bound; and those of all alternatives together. */
const [mostWays, mostTotal] = [256, 512];
/** A group that repeats at most so often counts as not repeated. */
const fewTimes = 4;

/** Numbers of ways in which a part can be matched. */
interface Ways {
  /** Before its last part that may fail: all of these are tried if that part fails. */
  tried: number;
  /** After that part: these are tried only if something later fails. */
  open: number;
}

interface Group extends Ways {
  /** Repeats, options or choices inside, with which a text can be matched in several ways. */
  varies: boolean;
  /** Ways of the alternatives before the one in progress. */
  before: Ways;
  /** Sum of what the alternatives add to one way each. */
  total: number;
  look: 'ahead' | 'behind' | null;
}

const newGroup = (start: string): Group => ({
  tried: 1,
  open: 1,
  varies: false,
  before: { tried: 1, open: 0 },
  total: 0,
  look: /^\(\?<[=!]/.test(start) ? 'behind' : /^\(\?[=!]/.test(start) ? 'ahead' : null,
});
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

/** Ends the alternative in progress. */
function endAlternative(group: Group): void {
  const { before, tried, open } = group;
  group.before = { tried: Math.max(before.tried, tried), open: before.open + open };
  group.total += tried - 1;
  [group.tried, group.open] = [1, 1];
}

/** Ways of a group that has ended. A look-around is matched once; one that looks behind is matched from its end. */
function waysOf(group: Group): Ways {
  endAlternative(group);
  const { tried, open } = group.before;
  return group.look ? { tried: group.look === 'behind' ? tried * open : tried, open: 1 } : { tried, open };
}

/** Ways of a part that is repeated `least` to `most` times. */
function repeated({ tried, open }: Ways, least: number, most: number): Ways {
  if (most > fewTimes) return { tried, open: repeatWays };
  let ways = 0;
  for (let times = least; times <= most; times++) ways += open ** times;
  return { tried: tried * (tried * open) ** Math.max(0, most - 1), open: ways };
}

/** Adds a part to the sequence in progress. One that may be absent cannot fail. */
function append(group: Group, { tried, open }: Ways, least: number): void {
  group.tried *= tried * (least > 0 ? group.open : 1);
  group.open = least > 0 ? open : group.open * open;
}

/** True for an expression whose time may be exponential, or a higher power of the text's length than its square. */
export function isSlow(source: string): boolean {
  const open: Group[] = [newGroup('')];
  for (let at = 0; at < source.length; ) {
    let group = open.at(-1)!;
    let inner: Group | null = null;
    let ways: Ways = { tried: 1, open: 1 };
    groupStart.lastIndex = at;
    const start = groupStart.exec(source)?.[0];
    if (start) {
      open.push(newGroup(start));
      at += start.length;
      continue;
    }
    if (source[at] === '|') {
      group.varies = true;
      endAlternative(group);
      at++;
      continue;
    }
    if (source[at] === ')' && open.length > 1) {
      inner = open.pop()!;
      group = open.at(-1)!;
      group.varies ||= inner.varies;
      ways = waysOf(inner);
      at++;
    } else if (/^\\[1-9k]/.test(source.slice(at, at + 2))) {
      // A text that was captured may be as long as a repeat.
      ways = { tried: repeatWays, open: 1 };
      at += 2;
    } else at = source[at] === '[' ? classEnd(source, at) : at + (source[at] === '\\' ? 2 : 1);
    quantifier.lastIndex = at;
    const found = quantifier.exec(source);
    const [least, most] = found ? timesOf(found) : [1, 1];
    at += found?.[0].length ?? 0;
    group.varies ||= least !== most;
    if (inner?.varies && most > fewTimes) return true;
    append(group, found ? repeated(ways, least, most) : ways, least);
    if (group.tried > mostWays) return true;
  }
  const [whole] = open;
  endAlternative(whole);
  return whole.total > mostTotal;
}
