/**
 * Checks headers in Thrift's compact protocol (github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md)
 * before hyparquet reads them: its time is a square of the length of a number, and its lists are as long as they claim.
 */

/** Elements of a header; each becomes a value of up to a hundred bytes. A column of a group of rows has about 40. */
const mostElements = 4_000_000;
const mostLevels = 20;
/** Bytes of a number of 32 and of 64 bits. */
const [shortNumber, longNumber] = [5, 10];

class Scan {
  private left = mostElements;

  constructor(
    private readonly view: DataView,
    private offset: number,
  ) {}

  struct(level: number): void {
    if (level > mostLevels) throw new Error(`a header has more than ${mostLevels} levels`);
    for (;;) {
      const byte = this.byte();
      if ((byte & 15) === 0) return;
      if (byte >> 4 === 0) this.number(shortNumber);
      this.element(byte & 15, level);
    }
  }

  private element(type: number, level: number): void {
    if (--this.left < 0) throw new Error(`a header has more than ${mostElements} elements`);
    if (type === 3) this.skip(1);
    else if (type === 4 || type === 5) this.number(shortNumber);
    else if (type === 6) this.number(longNumber);
    else if (type === 7) this.skip(8);
    else if (type === 8) this.skip(this.number(shortNumber));
    else if (type === 9) this.list(level);
    else if (type === 12) this.struct(level + 1);
    else if (type !== 1 && type !== 2) throw new Error(`a header has an element of the unknown type ${type}`);
  }

  private list(level: number): void {
    const byte = this.byte();
    const count = byte >> 4 === 15 ? this.number(shortNumber) : byte >> 4;
    const type = byte & 15;
    if (count > this.view.byteLength - this.offset)
      throw new Error(
        `a list of ${count} elements in a header that has ${this.view.byteLength - this.offset} bytes left`,
      );
    for (let i = 0; i < count; i++) this.element(type === 1 || type === 2 ? 3 : type, level);
  }

  private byte(): number {
    const byte = this.view.getUint8(this.offset);
    this.offset++;
    return byte;
  }

  private skip(bytes: number): void {
    if (bytes > this.view.byteLength - this.offset) throw new Error('a header ends too early');
    this.offset += bytes;
  }

  private number(mostBytes: number): number {
    return numberOf(() => this.byte(), mostBytes, 'a number in a header');
  }
}

/** Reads a number of seven bits a byte. Throws Error for one of more than `mostBytes`; `what` names it. */
export function numberOf(nextByte: () => number, mostBytes: number, what: string): number {
  let value = 0;
  for (let i = 0; i < mostBytes; i++) {
    const byte = nextByte();
    value += (byte & 127) * 128 ** i;
    if (byte < 128) return value;
  }
  throw new Error(`${what} has more than ${mostBytes} bytes`);
}

/** Checks the header that begins at `offset`. Throws Error for one that would not end or fill the memory. */
export function checkThrift(view: DataView, offset: number): void {
  new Scan(view, offset).struct(1);
}
