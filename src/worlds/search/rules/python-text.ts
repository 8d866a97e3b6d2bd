/**
 * The rules of Python's text on which the original scorers depend and which differ in JavaScript: white space, and the
 * letters of a word. Python 3.11, docs.python.org/3/library/stdtypes.html#str.isspace. Independent of questions and
 * scores.
 */
import { space, strip } from '../../../python/text.ts';

const runs = new RegExp(`[${space}]+`, 'g');

/** `' '.join(text.split())` */
export const collapse = (text: string): string => strip(text).replace(runs, ' ');

/** `string.punctuation` */
const punctuation = /[!-/:-@[-`{-~]/g;
export const withoutPunctuation = (text: string): string => text.replace(punctuation, '');

/** `\b(a|an|the)\b` with Python's word characters, which include letters and digits of any script. */
const articles = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;
export const articlesToSpaces = (text: string): string => text.replace(articles, ' ');
