/** Numbers with their nouns, one and many apart: English has a form for each, other languages fill both or the same. */
import { msg, str } from '@lit/localize';

export const countedDocuments = (count: number): string =>
  count === 1 ? msg('1 document') : msg(str`${count} documents`);

export const countedQuestions = (count: number): string =>
  count === 1 ? msg('1 question') : msg(str`${count} questions`);

export const countedLines = (count: number): string => (count === 1 ? msg('1 line') : msg(str`${count} lines`));
