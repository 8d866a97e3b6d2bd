/**
 * Regular expressions in Python's syntax (https://docs.python.org/3/library/re.html), as PEFT uses them for module names.
 * JavaScript's own differ in `{,n}`, `[]a]`, `(?P<name>...)`, `\A` and others. A caller needs to know only if a text
 * matches, so each part is evaluated as the set of places where it may end. That takes polynomial time for every
 * pattern, also for one made to be slow. Texts are names in ASCII. Back-references, conditionals, atomic groups and
 * possessive repeats are refused by name.
 */

/** Thrown for a pattern that is not valid or uses an unsupported construct. */
export class PythonRegexError extends Error {
  override name = 'PythonRegexError';
}

type Test = (char: string) => boolean;

type Part =
  | { kind: 'char'; test: Test }
  /** An assertion about the place `at` in the text. */
  | { kind: 'place'; test: (text: string, at: number) => boolean }
  | { kind: 'sequence' | 'choice'; parts: Part[] }
  | { kind: 'repeat'; part: Part; least: number; most: number }
  | { kind: 'look'; part: Part; behind: boolean; negative: boolean };

/** Longest pattern, deepest nesting of groups, and largest number of evaluations for all texts together. */
const longestPattern = 20_000;
const deepest = 100;
const mostSteps = 20_000_000;

const between =
  (first: string, last: string): Test =>
  (char) =>
    char >= first && char <= last;
const isDigit = between('0', '9');
const isWord: Test = (char) => /^\w$/.test(char);
const isSpace: Test = (char) => ' \t\n\r\f\v\x1c\x1d\x1e\x1f'.includes(char);
const not =
  (test: Test): Test =>
  (char) =>
    !test(char);

const classes: { readonly [letter: string]: Test } = {
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isSpace,
  S: not(isSpace),
};

const atBoundary = (text: string, at: number) => isWord(text[at - 1] ?? ' ') !== isWord(text[at] ?? ' ');

const places: { readonly [letter: string]: (text: string, at: number) => boolean } = {
  A: (_, at) => at === 0,
  Z: (text, at) => at === text.length,
  b: atBoundary,
  B: (text, at) => text.length > 0 && !atBoundary(text, at),
};

const controls: { readonly [letter: string]: string } = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\x07',
};

/** Digits of a numeric escape, by its letter. */
const escapeDigits: { readonly [letter: string]: number } = { x: 2, u: 4, U: 8 };

interface Flags {
  ignoreCase: boolean;
  dotAll: boolean;
}

class Parser {
  private at = 0;
  private depth = 0;

  constructor(private readonly pattern: string) {}

  whole(): Part {
    const part = this.choice(this.globalFlags());
    if (this.at < this.pattern.length) this.fail('a ")" without "("');
    return part;
  }

  private fail(what: string): never {
    throw new PythonRegexError(`${what} at character ${this.at + 1} of the regular expression ${this.pattern}`);
  }

  private take(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private takeMatch(expression: RegExp): string | null {
    expression.lastIndex = this.at;
    const found = expression.exec(this.pattern)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }

  private next(): string {
    if (this.at >= this.pattern.length) this.fail('an unexpected end');
    return this.pattern[this.at++];
  }

  private globalFlags(): Flags {
    const found = this.takeMatch(/\(\?[aiLmsux]+\)/y);
    return this.withFlags({ ignoreCase: false, dotAll: false }, found?.slice(2, -1) ?? '', '');
  }

  private withFlags(flags: Flags, on: string, off: string): Flags {
    const other = /[Lmx]/.exec(on + off)?.[0];
    if (other) this.fail(`the flag "${other}", which is not supported,`);
    const has = (letter: string, before: boolean) => (before || on.includes(letter)) && !off.includes(letter);
    const changed = { ignoreCase: has('i', flags.ignoreCase), dotAll: has('s', flags.dotAll) };
    const isAscii = [...this.pattern].every((char) => char <= '~');
    if (changed.ignoreCase && !isAscii) this.fail('the flag "i" with letters outside ASCII');
    return changed;
  }

  private choice(flags: Flags): Part {
    const parts = [this.sequence(flags)];
    while (this.take('|')) parts.push(this.sequence(flags));
    return parts.length > 1 ? { kind: 'choice', parts } : parts[0];
  }

  private sequence(flags: Flags): Part {
    const parts: Part[] = [];
    while (this.at < this.pattern.length && !'|)'.includes(this.pattern[this.at])) {
      if (this.takeMatch(/\(\?#[^)]*\)/y)) continue;
      parts.push(this.repeated(this.item(flags)));
    }
    return { kind: 'sequence', parts };
  }

  /** An item with the repeat after it. */
  private repeated(part: Part): Part {
    const bounds = this.bounds();
    if (!bounds) return part;
    const [least, most] = bounds;
    if (part.kind === 'place') this.fail('a repeat of an assertion');
    if (least > most) this.fail(`a repeat of at least ${least} and at most ${most}`);
    if (this.take('+')) this.fail('a possessive repeat, which is not supported,');
    this.take('?');
    if (this.bounds()) this.fail('a repeat of a repeat');
    return { kind: 'repeat', part, least, most };
  }

  private bounds(): [number, number] | null {
    if (this.take('*')) return [0, Infinity];
    if (this.take('+')) return [1, Infinity];
    if (this.take('?')) return [0, 1];
    const braces = this.takeMatch(/\{\d*(,\d*)?\}/y);
    if (!braces) return null;
    if (braces === '{}') {
      this.at -= braces.length;
      return null;
    }
    const [first, last = first] = braces.slice(1, -1).split(',');
    return [Number(first), last === '' ? Infinity : Number(last)];
  }

  private item(flags: Flags): Part {
    const char = this.next();
    if (char === '(') return this.group(flags);
    if (char === '[') return { kind: 'char', test: this.set(flags) };
    if (char === '.') return { kind: 'char', test: flags.dotAll ? () => true : (c) => c !== '\n' };
    if (char === '^') return { kind: 'place', test: places.A };
    if (char === '$')
      return { kind: 'place', test: (text, at) => at === text.length || (at === text.length - 1 && text[at] === '\n') };
    if ('*+?'.includes(char)) this.fail('a repeat of nothing');
    if (char !== '\\') return this.literal(char, flags);
    const letter = this.next();
    if (places[letter]) return { kind: 'place', test: places[letter] };
    if (classes[letter]) return { kind: 'char', test: classes[letter] };
    return this.literal(this.escaped(letter), flags);
  }

  private literal(char: string, { ignoreCase }: Flags): Part {
    const lower = char.toLowerCase();
    return { kind: 'char', test: ignoreCase ? (c) => c.toLowerCase() === lower : (c) => c === char };
  }

  /** The character of an escape after its letter. */
  private escaped(letter: string): string {
    if (controls[letter]) return controls[letter];
    if (escapeDigits[letter]) {
      const digits = this.pattern.slice(this.at, this.at + escapeDigits[letter]);
      if (!/^[0-9a-f]+$/i.test(digits) || digits.length < escapeDigits[letter]) this.fail(`an incomplete \\${letter}`);
      this.at += digits.length;
      const code = Number.parseInt(digits, 16);
      return code <= 0xffff ? String.fromCharCode(code) : this.fail(`\\${letter}${digits}, which is not supported,`);
    }
    if (/[0-9]/.test(letter)) this.fail('a back-reference or an octal number, which are not supported,');
    if (/[a-zA-Z]/.test(letter)) this.fail(`the unknown escape \\${letter}`);
    return letter;
  }

  private group(flags: Flags): Part {
    if (++this.depth > deepest) this.fail(`more than ${deepest} groups inside each other`);
    const opening = this.opening(flags);
    const inner = this.choice(opening.flags);
    if (!this.take(')')) this.fail('a "(" without ")"');
    this.depth--;
    // A group is a part of its own, so that a repeat of a repeat inside parentheses is allowed.
    if (!opening.look) return { kind: 'sequence', parts: [inner] };
    return { kind: 'look', part: inner, ...opening.look };
  }

  /** What stands after "(". */
  private opening(flags: Flags): { flags: Flags; look?: { behind: boolean; negative: boolean } } {
    if (!this.take('?')) return { flags };
    if (this.takeMatch(/:|P<[A-Za-z_]\w*>/y)) return { flags };
    const look = this.takeMatch(/<?[=!]/y);
    if (look) return { flags, look: { behind: look.length === 2, negative: look.endsWith('!') } };
    const scoped = this.takeMatch(/[aiLmsux]*(-[imsx]+)?:/y);
    if (scoped === null) this.fail('a kind of group that is not supported');
    const [on, off = ''] = scoped.slice(0, -1).split('-');
    return { flags: this.withFlags(flags, on, off) };
  }

  /** The characters of a set, after its "[". */
  private set({ ignoreCase }: Flags): Test {
    const negative = this.take('^');
    const tests: Test[] = [];
    do {
      const first = this.member();
      if (typeof first !== 'string') tests.push(first);
      else if (this.pattern[this.at] === '-' && this.pattern[this.at + 1] !== ']') {
        this.at++;
        const last = this.member();
        if (typeof last !== 'string' || last < first) this.fail('an invalid range of characters');
        tests.push(between(first, last));
      } else tests.push((char) => char === first);
    } while (!this.take(']'));
    const some: Test = (char) => tests.some((test) => test(char));
    const folded: Test = ignoreCase ? (char) => some(char.toLowerCase()) || some(char.toUpperCase()) : some;
    return negative ? not(folded) : folded;
  }

  private member(): string | Test {
    const char = this.next();
    if (char !== '\\') return char;
    const letter = this.next();
    if (letter === 'b') return '\b';
    return classes[letter] ?? this.escaped(letter);
  }
}

/** Evaluates the parts of a pattern on one text. */
class Evaluation {
  private readonly known = new Map<Part, ReadonlySet<number>[]>();

  constructor(
    private readonly text: string,
    /** Evaluations of the pattern on this text and those before. */
    private readonly taken: { steps: number },
  ) {}

  /** Places where the part may end if it begins at `at`. */
  ends(part: Part, at: number): ReadonlySet<number> {
    const known = this.known.get(part) ?? [];
    this.known.set(part, known);
    known[at] ??= this.evaluate(part, at);
    return known[at];
  }

  private count(): void {
    if (++this.taken.steps > mostSteps) throw new PythonRegexError('A regular expression takes too long');
  }

  private evaluate(part: Part, at: number): ReadonlySet<number> {
    this.count();
    const here = new Set([at]);
    const none = new Set<number>();
    switch (part.kind) {
      case 'char':
        return at < this.text.length && part.test(this.text[at]) ? new Set([at + 1]) : none;
      case 'place':
        return part.test(this.text, at) ? here : none;
      case 'sequence':
        return part.parts.reduce<ReadonlySet<number>>((from, each) => this.after(each, from), here);
      case 'choice':
        return new Set(part.parts.flatMap((each) => [...this.ends(each, at)]));
      case 'repeat':
        return this.repeated(part, here);
      case 'look':
        return this.looks(part, at) !== part.negative ? here : none;
    }
  }

  private after(part: Part, from: ReadonlySet<number>): Set<number> {
    const all = new Set<number>();
    for (const at of from)
      for (const end of this.ends(part, at)) {
        this.count();
        all.add(end);
      }
    return all;
  }

  private repeated({ part, least, most }: Part & { kind: 'repeat' }, here: ReadonlySet<number>): ReadonlySet<number> {
    // More repeats than this must include an empty match, which adds no new place and can be left out.
    const enough = 2 * this.text.length + 2;
    let from = here;
    for (let i = 0; i < Math.min(least, enough) && from.size; i++) from = this.after(part, from);
    const all = new Set(from);
    for (let i = least; i < Math.min(most, least + enough) && from.size; i++) {
      from = new Set([...this.after(part, from)].filter((end) => !all.has(end)));
      for (const end of from) all.add(end);
    }
    return all;
  }

  private looks({ part, behind }: Part & { kind: 'look' }, at: number): boolean {
    if (!behind) return this.ends(part, at).size > 0;
    for (let start = 0; start <= at; start++) if (this.ends(part, start).has(at)) return true;
    return false;
  }
}

export interface PythonRegex {
  /** As `re.fullmatch`: true if the whole text matches. */
  fullmatch(text: string): boolean;
  /** As `re.match`: true if the text begins with a match. */
  match(text: string): boolean;
}

/** Reads a pattern. Throws PythonRegexError; so do the matches, for a text on which the pattern takes too long. */
export function pythonRegex(pattern: string): PythonRegex {
  if (pattern.length > longestPattern)
    throw new PythonRegexError(
      `A regular expression of ${pattern.length} characters is longer than the ${longestPattern} that are read`,
    );
  const whole = new Parser(pattern).whole();
  const taken = { steps: 0 };
  const ends = (text: string) => new Evaluation(text, taken).ends(whole, 0);
  return { fullmatch: (text) => ends(text).has(text.length), match: (text) => ends(text).size > 0 };
}
