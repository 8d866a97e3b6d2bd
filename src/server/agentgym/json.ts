/**
 * Reads JSON as Python's `json.loads` does, where it differs from JSON.parse in a way that a client can observe: whole
 * numbers of any size, floats that stay floats (`2.0`), NaN and the infinities, the messages of errors, and the limits
 * on digits and depth. Numbers that a double cannot represent become a `PythonNumber`; everything else is as JSON.parse
 * returns it. Follows CPython 3.11's Lib/json/decoder.py and Modules/_json.c.
 */

/**
 * The source text of a number that a double cannot represent, or that a double cannot distinguish from a whole number.
 */
export class PythonNumber {
  constructor(readonly source: string) {}
}

export type ParsedJson = null | boolean | number | string | PythonNumber | ParsedJson[] | { [key: string]: ParsedJson };

/** Number of Unicode characters. */
const lengthOf = (text: string) => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

/** Python's JSONDecodeError: what was expected, and where. */
export class JsonDecodeError extends SyntaxError {
  override name = 'JsonDecodeError';
  /** Counted in characters, as Python does: two units of a surrogate pair are one. */
  readonly pos: number;
  readonly lineno: number;
  readonly colno: number;
  constructor(
    readonly msg: string,
    readonly doc: string,
    at: number,
  ) {
    const before = doc.slice(0, at);
    const pos = lengthOf(before);
    const lineno = before.split('\n').length;
    const colno = lengthOf(before.slice(before.lastIndexOf('\n') + 1)) + 1;
    super(`${msg}: line ${lineno} column ${colno} (char ${pos})`);
    this.pos = pos;
    this.lineno = lineno;
    this.colno = colno;
  }
}

/** A text that Python's reader refuses without a position: it has too many digits, or is nested too deeply. */
export class JsonLimitError extends RangeError {
  override name = 'JsonLimitError';
}

/** Maximum number of digits of a whole number (sys.int_info.default_max_str_digits). */
export const MOST_DIGITS = 4300;
/**
 * Maximum depth of nested lists and objects: Python's recursion limit of 1,000 less the server's own frames, measured
 * with FastAPI 0.92, Starlette 0.25 and uvicorn 0.54.
 */
export const MOST_DEPTH = 963;

/** A number that may need care: with a decimal point or an exponent, over 15 digits, or not valid in JSON. */
const special = /\d[.eE]|\d{16}|NaN|Infinity/;
const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const blanks = /[ \t\n\r]*/y;
const constants = new Map<string, ParsedJson>([
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', new PythonNumber('NaN')],
  ['Infinity', new PythonNumber('Infinity')],
  ['-Infinity', new PythonNumber('-Infinity')],
]);
const escapes: { readonly [letter: string]: string } = {
  ...{ '"': '"', '\\': '\\', '/': '/' },
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
};

class Reader {
  private at = 0;
  constructor(private readonly text: string) {}

  document(): ParsedJson {
    this.skip();
    const value = this.value(0);
    this.skip();
    if (this.at < this.text.length) throw this.error('Extra data');
    return value;
  }

  private error(msg: string, at = this.at): JsonDecodeError {
    return new JsonDecodeError(msg, this.text, at);
  }

  private skip(): void {
    blanks.lastIndex = this.at;
    blanks.exec(this.text);
    this.at = blanks.lastIndex;
  }

  private value(depth: number): ParsedJson {
    if (depth > MOST_DEPTH) throw new JsonLimitError(`The JSON is nested more than ${MOST_DEPTH} deep.`);
    const first = this.text[this.at];
    if (first === '"') return this.string();
    if (first === '{') return this.object(depth);
    if (first === '[') return this.list(depth);
    for (const [name, constant] of constants)
      if (this.text.startsWith(name, this.at)) {
        this.at += name.length;
        return constant;
      }
    return this.number();
  }

  private number(): ParsedJson {
    number.lastIndex = this.at;
    const found = number.exec(this.text);
    if (!found) throw this.error('Expecting value');
    this.at = number.lastIndex;
    const [source, fraction, exponent] = found;
    if (fraction || exponent) return new PythonNumber(source);
    const digits = source.length - (source[0] === '-' ? 1 : 0);
    if (digits > MOST_DIGITS) throw new JsonLimitError(`A number has ${digits} digits; ${MOST_DIGITS} is the most.`);
    return digits > 15 || source === '-0' ? new PythonNumber(source) : Number(source);
  }

  private string(): string {
    const begin = this.at;
    const pieces: string[] = [];
    let from = ++this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (Number.isNaN(code)) throw this.error('Unterminated string starting at', begin);
      if (code === 34) {
        pieces.push(this.text.slice(from, this.at++));
        return pieces.length === 1 ? pieces[0] : pieces.join('');
      }
      if (code < 32) throw this.error('Invalid control character at');
      if (code === 92) {
        pieces.push(this.text.slice(from, this.at));
        pieces.push(this.escape(begin));
        from = this.at;
      } else this.at++;
    }
  }

  private escape(begin: number): string {
    const letter = this.text[this.at + 1];
    if (letter === undefined) throw this.error('Unterminated string starting at', begin);
    if (letter !== 'u') {
      const found = escapes[letter];
      if (found === undefined) throw this.error('Invalid \\escape');
      this.at += 2;
      return found;
    }
    const hex = this.text.slice(this.at + 2, this.at + 6);
    // An escape at the very end of the text is refused as incomplete.
    if (!/^[\da-fA-F]{4}$/.test(hex) || this.at + 6 >= this.text.length)
      throw this.error('Invalid \\uXXXX escape', this.at + 1);
    this.at += 6;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }

  private list(depth: number): ParsedJson[] {
    const list: ParsedJson[] = [];
    this.at++;
    this.skip();
    if (this.text[this.at] === ']') {
      this.at++;
      return list;
    }
    for (;;) {
      list.push(this.value(depth + 1));
      this.skip();
      const next = this.text[this.at];
      if (next === ']') {
        this.at++;
        return list;
      }
      if (next !== ',') throw this.error("Expecting ',' delimiter");
      this.at++;
      this.skip();
    }
  }

  private object(depth: number): { [key: string]: ParsedJson } {
    const entries: [string, ParsedJson][] = [];
    this.at++;
    this.skip();
    if (this.text[this.at] === '}') {
      this.at++;
      return {};
    }
    for (;;) {
      if (this.text[this.at] !== '"') throw this.error('Expecting property name enclosed in double quotes');
      const key = this.string();
      this.skip();
      if (this.text[this.at] !== ':') throw this.error("Expecting ':' delimiter");
      this.at++;
      this.skip();
      entries.push([key, this.value(depth + 1)]);
      this.skip();
      const next = this.text[this.at];
      if (next === '}') {
        this.at++;
        return Object.fromEntries(entries);
      }
      if (next !== ',') throw this.error("Expecting ',' delimiter");
      this.at++;
      this.skip();
    }
  }
}

/** Throws JsonDecodeError, or JsonLimitError. */
export function parseJson(text: string): ParsedJson {
  // JSON.parse reads a short text without special numbers alike, and faster.
  if (text.length <= MOST_DEPTH && !special.test(text) && !text.includes('-0')) {
    try {
      return JSON.parse(text);
    } catch {
      // Read again below, for Python's message.
    }
  }
  return new Reader(text).document();
}
