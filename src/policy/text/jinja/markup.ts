/** Marked text, as markupsafe's `Markup` behaves: plain text that is joined to it or put into it is escaped. */
import { type Call, Float, Markup, text, type Value } from './values.ts';

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
};

/** Text with the marks of HTML as entities; marked text as it is. */
export const escaped = (value: Value): string =>
  value instanceof Markup ? value.text : text(value).replace(/[&<>'"]/g, (c) => entities[c]);

/** Methods that put their arguments into the text. */
const inserting = new Set(['join', 'replace', 'format', 'center', 'ljust', 'rjust']);

/** An argument escaped, or a list with its items escaped. Numbers stay as they are. */
function escapedArgument(value: Value): Value {
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return value.map(escapedArgument);
  return value instanceof Markup ? value.text : value;
}

/** Marks a text, and the texts of a list. */
export function marked(value: Value): Value {
  if (typeof value === 'string') return new Markup(value);
  if (!Array.isArray(value)) return value;
  for (const [i, each] of value.entries()) value[i] = marked(each);
  return value;
}

/** A method of a marked text: its results are marked. */
export const markedMethod =
  (name: string, method: Call): Call =>
  (args, keywords) => {
    if (!inserting.has(name)) return marked(method(args, keywords));
    const given = [...keywords].map(([key, value]) => [key, escapedArgument(value)] as const);
    // The text that `replace` looks for is not put into the result.
    const own = args.map((arg, i) => (name === 'replace' && i === 0 ? arg : escapedArgument(arg)));
    return marked(method(own, new Map(given)));
  };

/** Value of a field of `%` in a marked text. */
export const escapedField = (value: Value): Value =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Float ? value : escaped(value);
