/**
 * Decodes character references in HTML text like Python's html.unescape (HTML5's table, including legacy names without
 * a semicolon). The table comes from the package `entities`; numeric references follow Python's rules.
 */
import { decodeHTML } from 'entities';

/**
 * Replacements for numeric references from 0x80 to 0x9f (HTML5, section 13.2.5.80). Other numbers of that range are
 * kept.
 */
const windows = new Map(
  [...'€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'].map((character, k) => [0x80 + k, character]),
);

/** True for code points that a reference must not name; such references are removed. */
function isInvalid(code: number): boolean {
  if ((code >= 1 && code <= 8) || (code >= 0xe && code <= 0x1f) || (code >= 0x7f && code <= 0x9f)) return true;
  return code === 0xb || (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe;
}

function ofNumber(digits: string): string {
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number.parseInt(digits, 10);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  if (code === 0x0d) return '\r';
  const mapped = windows.get(code);
  if (mapped !== undefined) return mapped;
  return isInvalid(code) ? '' : String.fromCodePoint(code);
}

const reference = /&(?:#([0-9]+|x[0-9a-f]+);?|[^\t\n\f <&#;]{1,32};?)/gi;

export function unescapeHtml(text: string): string {
  return text.replace(reference, (whole, number: string | undefined) =>
    number === undefined ? decodeHTML(whole) : ofNumber(number),
  );
}
