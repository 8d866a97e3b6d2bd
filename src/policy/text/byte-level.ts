/**
 * Alphabet of byte-level vocabularies (introduced by GPT-2): each byte has a printable letter, so that a token is a
 * string for any bytes.
 */

/** Bytes represented by themselves: printable Latin-1. */
const isPrintable = (byte: number) =>
  (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);

/** Letter of each byte. Unprintable bytes get the letters after Latin-1, in order. */
export function byteLetters(): string[] {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : next++));
}

const byteOf = new Map(byteLetters().map((letter, byte) => [letter, byte]));
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const hex = (byte: number) => `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/** Text of a token, or its bytes in hexadecimal if they are not complete characters. */
export function byteLevelText(token: string): string {
  const bytes = Array.from(token, (letter) => byteOf.get(letter));
  if (bytes.includes(undefined)) return token;
  try {
    return strict.decode(Uint8Array.from(bytes as number[]));
  } catch {
    return (bytes as number[]).map(hex).join('');
  }
}
