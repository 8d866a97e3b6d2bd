/**
 * The seam between the rules and whatever finds documents: an index in this worker, a server, a recording's own rule. Rules and
 * views know this and nothing behind it.
 */

export interface Document {
  id: string;
  /** First line of Search-R1's `contents`. */
  title: string;
  /** The other lines. */
  text: string;
  /** Higher is better; what it counts is the retriever's affair. */
  score: number;
}

export interface Retriever {
  /** The best `k` documents of each query, best first; fewer where fewer match. */
  retrieve(queries: readonly string[], k: number, signal?: AbortSignal): Promise<Document[][]>;
  close(): Promise<void>;
}

/** Search-R1's form of a document: the title is the first line. */
export function readContents(id: string, contents: string, score = 0): Document {
  const end = contents.indexOf('\n');
  return end < 0
    ? { id, title: contents, text: '', score }
    : { id, title: contents.slice(0, end), text: contents.slice(end + 1), score };
}

export function writeContents({ title, text }: Pick<Document, 'title' | 'text'>): string {
  return text ? `${title}\n${text}` : title;
}
