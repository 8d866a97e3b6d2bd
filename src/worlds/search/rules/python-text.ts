/**
 * The rules of Python's text on which the original scorers depend and which differ in JavaScript: white space, and the
 * letters of a word. Python 3.11, docs.python.org/3/library/stdtypes.html#str.isspace. Independent of questions and
 * scores.
 */

/** White space for `str.isspace` and `str.split()`: excludes U+FEFF, includes U+001C to U+001F and U+0085. */
const blank = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const ends = new RegExp(`^[${blank}]+|[${blank}]+$`, 'g');
const runs = new RegExp(`[${blank}]+`, 'g');

/** `str.strip()` */
export const strip = (text: string): string => text.replace(ends, '');

/** `' '.join(text.split())` */
export const collapse = (text: string): string => strip(text).replace(runs, ' ');

/** `string.punctuation` */
const punctuation = /[!-/:-@[-`{-~]/g;
export const withoutPunctuation = (text: string): string => text.replace(punctuation, '');

/** `\b(a|an|the)\b` with Python's word characters, which include letters and digits of any script. */
const articles = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;
export const articlesToSpaces = (text: string): string => text.replace(articles, ' ');
