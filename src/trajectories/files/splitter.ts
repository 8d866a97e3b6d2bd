/**
 * Splits a stream of bytes into JSON texts: the elements of one array, the lines of JSONL, or objects one after another
 * (as written by AgentGym's evaluation scripts). It searches only for the ends of texts, so a gigabyte passes in
 * constant memory; parsing is the caller's. A text that cannot end (a string across a line's end) is given up at the
 * start of the next one, so that one bad record does not spoil the records after it.
 */

/** One JSON text: its bytes, their place, and the line (from 1) on which it begins. */
export interface Piece {
  bytes: Uint8Array;
  offset: number;
  line: number;
  /** True if the text had no end and was given up. */
  broken: boolean;
  /** True if it exceeds the longest record; its bytes were dropped. */
  tooLong?: boolean;
  /** True if it has more levels of objects and lists than are read. */
  tooDeep?: boolean;
}

/** A record is parsed whole, in several times its bytes of memory. */
export const mostRecordBytes = 64e6;
/** Levels of objects and lists of a record. Deeper ones exhaust the stack when the record is written again. */
export const mostLevels = 100;

const byteOrderMark = [0xef, 0xbb, 0xbf];

const code = (character: string) => character.charCodeAt(0);
const [quote, backslash, newline, comma] = [code('"'), code('\\'), code('\n'), code(',')];
const [openBrace, closeBrace, openBracket, closeBracket] = [code('{'), code('}'), code('['), code(']')];
/** Begins each text of a JSON text sequence (RFC 7464). */
const recordSeparator = 0x1e;
const isSpace = (byte: number) => byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09;

/** Bytes that grow at the end and are dropped at the front. */
class Window {
  private bytes = new Uint8Array(1 << 16);
  private end = 0;
  /** Offset in the file of the first byte kept. */
  start = 0;

  push(chunk: Uint8Array): void {
    if (this.end + chunk.length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.end + chunk.length));
      larger.set(this.bytes.subarray(0, this.end));
      this.bytes = larger;
    }
    this.bytes.set(chunk, this.end);
    this.end += chunk.length;
  }

  slice(from: number, to: number): Uint8Array {
    return this.bytes.slice(from - this.start, to - this.start);
  }

  /** Drops the bytes before `offset`. */
  drop(offset: number): void {
    const count = Math.min(Math.max(offset - this.start, 0), this.end);
    this.bytes.copyWithin(0, count, this.end);
    this.end -= count;
    this.start += count;
  }
}

export class Splitter {
  private readonly window = new Window();
  private offset = 0;
  private line = 1;
  private lineStart = 0;
  /** Start of the text in progress; -1: between texts. */
  private begin = -1;
  private beginLine = 0;
  private depth = 0;
  private inString = false;
  private escaped = false;
  private inArray = false;
  private started = false;
  private broken = false;
  /** Indentation of the first text: at another text with this indentation, one that is still open is given up. */
  private indent = -1;
  /**
   * Layout of the first whole text: on one line (then no text contains a line's end), over several, or with objects at
   * its own indentation.
   */
  private layout: 'unknown' | 'one-line' | 'indented' | 'flat' = 'unknown';
  private flat = false;
  private tooLong = false;
  private tooDeep = false;
  private pieces: Piece[] = [];

  constructor(
    private readonly mostBytes = mostRecordBytes,
    /** True if the whole is known to be valid JSON, so that nothing is given up. */
    private readonly whole = false,
  ) {}

  /** Texts that ended within these bytes. */
  push(chunk: Uint8Array): Piece[] {
    this.window.push(chunk);
    for (let i = 0; i < chunk.length; i++) {
      if (this.inString && !this.escaped) i = this.skipText(chunk, i);
      if (i < chunk.length) this.take(chunk[i]);
    }
    if (this.begin >= 0 && this.offset - this.begin > this.mostBytes) this.tooLong = true;
    this.window.drop(this.begin < 0 || this.tooLong ? this.offset : this.begin);
    return this.taken();
  }

  /** Skips from `i` to the next byte that may matter: most bytes of a file are letters inside strings. */
  private skipText(chunk: Uint8Array, i: number): number {
    let end = i;
    while (end < chunk.length) {
      const byte = chunk[end];
      if (byte === quote || byte === backslash || byte === newline) break;
      end++;
    }
    this.offset += end - i;
    return end;
  }

  /** Texts still open at the end of the file. */
  finish(): Piece[] {
    if (this.begin >= 0) this.end(this.offset, this.depth > 0 || this.inString || this.broken);
    return this.taken();
  }

  private taken(): Piece[] {
    const pieces = this.pieces;
    this.pieces = [];
    return pieces;
  }

  private take(byte: number): void {
    const at = this.offset++;
    if (this.begin < 0) this.between(byte, at);
    else if (byte === newline && this.layout === 'one-line' && !this.whole)
      this.end(at, this.depth > 0 || this.inString || this.broken);
    else if (this.inString) this.within(byte);
    else this.structure(byte, at);
    if (byte === newline) {
      this.line++;
      this.lineStart = at + 1;
    }
  }

  private between(byte: number, at: number): void {
    if (isSpace(byte) || byte === comma || byte === recordSeparator) return;
    if (!this.started && byte === byteOrderMark[at]) return;
    if (!this.started && byte === openBracket) {
      this.started = true;
      this.inArray = true;
      return;
    }
    if (this.inArray && byte === closeBracket) {
      this.inArray = false;
      return;
    }
    this.started = true;
    this.begin = at;
    this.beginLine = this.line;
    this.depth = 0;
    if (byte === openBrace && this.indent < 0) this.indent = at - this.lineStart;
    this.structure(byte, at);
  }

  private within(byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === backslash) this.escaped = true;
    else if (byte === quote) this.inString = false;
    else if (byte === newline) {
      // A JSON string cannot contain a line's end.
      this.inString = false;
      this.broken = true;
    }
  }

  private structure(byte: number, at: number): void {
    if (byte === openBrace && at > this.begin && this.beginsAnother(at)) {
      this.end(at, true);
      this.between(byte, at);
    } else if (byte === quote) this.inString = true;
    else if (byte === openBrace || byte === openBracket) {
      if (++this.depth > mostLevels) this.tooDeep = true;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (this.depth === 0) this.end(at, true);
      else if (--this.depth === 0 && !this.broken) this.end(at + 1, false);
    } else if (this.depth === 0 && (byte === newline || (byte === comma && this.inArray))) this.end(at, this.broken);
  }

  /** True for a record at the first one's indentation on a later line: the open text was never closed. */
  private beginsAnother(at: number): boolean {
    if (this.whole || this.line === this.beginLine || at - this.lineStart !== this.indent) return false;
    if (this.layout === 'unknown') this.flat = true;
    return this.broken || this.layout === 'indented';
  }

  private end(at: number, broken: boolean): void {
    const tooLong = this.tooLong || at - this.begin > this.mostBytes;
    const bytes = tooLong ? new Uint8Array(0) : this.window.slice(this.begin, at);
    this.pieces.push({ bytes, offset: this.begin, line: this.beginLine, broken, tooLong, tooDeep: this.tooDeep });
    if (!broken && this.layout === 'unknown')
      this.layout = this.line === this.beginLine ? 'one-line' : this.flat ? 'flat' : 'indented';
    this.begin = -1;
    this.depth = 0;
    this.inString = false;
    this.escaped = false;
    this.broken = false;
    this.tooLong = false;
    this.tooDeep = false;
  }
}
