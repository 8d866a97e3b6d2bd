/**
 * Counts with their nouns. English has a singular and a plural; a language without them has the same translation for
 * both.
 */
import { msg, str } from '@lit/localize';

export const documentCount = (count: number): string =>
  count === 1 ? msg('1 document') : msg(str`${count} documents`);

export const questionCount = (count: number): string =>
  count === 1 ? msg('1 question') : msg(str`${count} questions`);

export const lineCount = (count: number): string => (count === 1 ? msg('1 line') : msg(str`${count} lines`));
