/**
 * Quoting of texts from an experiment for files in other languages: one function per language, used for every such
 * text.
 */
import { HandoffError } from './target.ts';

/** Quotes a text as one word of a POSIX shell. Throws HandoffError for NUL, which a shell word cannot contain. */
export function shellWord(text: string): string {
  if (text.includes('\0')) throw new HandoffError(`A shell cannot hold ${JSON.stringify(text)}: it contains NUL.`);
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Escapes a text for a line of Markdown: control characters become spaces, and markup is escaped. */
export const markdownText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').replace(/[\\`*_{}[\]<>#|]/g, '\\$&');

/** Allowed names of repositories and folders: letters, digits, spaces and these characters. */
const plainName = /^[\p{L}\p{N} ._@~+,=:()/\\-]+$/u;

/** Throws HandoffError if a model's name is not a plain path or repository. */
export function checkModelName(name: string): void {
  if (plainName.test(name)) return;
  throw new HandoffError(
    `policy.model is ${JSON.stringify(name)}: the model of a hand-off is a repository of the Hub (owner/name) or a folder whose ` +
      'path has only letters, digits, spaces and . _ - @ ~ + , = : ( ) / \\. Choose another model, or rename the folder.',
  );
}
