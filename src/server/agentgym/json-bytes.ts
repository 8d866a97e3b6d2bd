/** Decodes the bytes of a JSON text as Python's `json.loads` does: UTF-8, UTF-16 or UTF-32, found by its first bytes. */

type Encoding = 'utf-8' | 'utf-16-le' | 'utf-16-be' | 'utf-32-le' | 'utf-32-be';

/** The encoding, and the length of the mark that opens the text (CPython 3.11 Lib/json/__init__.py detect_encoding). */
function detect(bytes: Uint8Array): { encoding: Encoding; mark: number } {
  const [a, b, c, d] = bytes;
  const starts = (...mark: number[]) => mark.every((byte, i) => bytes[i] === byte);
  if (starts(0, 0, 0xfe, 0xff)) return { encoding: 'utf-32-be', mark: 4 };
  if (starts(0xff, 0xfe, 0, 0)) return { encoding: 'utf-32-le', mark: 4 };
  if (starts(0xfe, 0xff)) return { encoding: 'utf-16-be', mark: 2 };
  if (starts(0xff, 0xfe)) return { encoding: 'utf-16-le', mark: 2 };
  if (starts(0xef, 0xbb, 0xbf)) return { encoding: 'utf-8', mark: 3 };
  const plain = (encoding: Encoding) => ({ encoding, mark: 0 });
  if (bytes.length >= 4) {
    if (a === 0) return plain(b ? 'utf-16-be' : 'utf-32-be');
    if (b === 0) return plain(c || d ? 'utf-16-le' : 'utf-32-le');
  } else if (bytes.length === 2) {
    if (a === 0) return plain('utf-16-be');
    if (b === 0) return plain('utf-16-le');
  }
  return plain('utf-8');
}

/** UTF-8 in which surrogates are allowed, as with Python's `surrogatepass`. */
function utf8(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const pieces: string[] = [];
  let from = 0;
  for (let i = 0; i + 2 < bytes.length; i++) {
    if (bytes[i] !== 0xed || bytes[i + 1] < 0xa0 || bytes[i + 1] > 0xbf || (bytes[i + 2] & 0xc0) !== 0x80) continue;
    const code = 0xd000 | ((bytes[i + 1] & 0x3f) << 6) | (bytes[i + 2] & 0x3f);
    pieces.push(decoder.decode(bytes.subarray(from, i)), String.fromCharCode(code));
    i += 2;
    from = i + 1;
  }
  pieces.push(decoder.decode(bytes.subarray(from)));
  return pieces.join('');
}

function units(bytes: Uint8Array, size: 2 | 4, littleEndian: boolean): string {
  if (bytes.length % size) throw new TypeError('The text ends inside a character.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: string[] = [];
  for (let i = 0; i < bytes.length; i += size)
    pieces.push(
      size === 2 ? String.fromCharCode(view.getUint16(i, littleEndian)) : codePoint(view.getUint32(i, littleEndian)),
    );
  return pieces.join('');
}

function codePoint(code: number): string {
  if (code > 0x10ffff) throw new TypeError('A character is beyond Unicode.');
  return String.fromCodePoint(code);
}

/** The text of the bytes. Throws TypeError if they are not text in their encoding. */
export function jsonText(bytes: Uint8Array): string {
  const { encoding, mark } = detect(bytes);
  const rest = bytes.subarray(mark);
  if (encoding === 'utf-8') return utf8(rest);
  return units(rest, encoding.startsWith('utf-16') ? 2 : 4, encoding.endsWith('le'));
}
