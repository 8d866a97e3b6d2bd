/** Name of a teacher behind an API in a run's document: `MODEL@ADDRESS`. */

/** A model behind an OpenAI-compatible server that teaches. */
export interface ServedName {
  /** As the document names it. */
  text: string;
  model: string;
  /** Base URL. */
  address: string;
}

/** The model and the address of `MODEL@ADDRESS`; null: another kind of teacher. */
export function readServedName(text: string): ServedName | null {
  const at = Math.max(text.indexOf('@http://'), text.indexOf('@https://'));
  return at < 0 ? null : { text, model: text.slice(0, at), address: text.slice(at + 1) };
}
