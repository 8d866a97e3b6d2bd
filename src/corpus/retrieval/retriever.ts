/**
 * The interface between the rules and a source of documents: an index in this worker, a server, or a recorded
 * retriever. Rules and views depend only on this interface.
 */

export interface Document {
  id: string;
  /** First line of Search-R1's `contents`. */
  title: string;
  /** Remaining lines of `contents`. */
  text: string;
  /** Relevance: higher is better. The scale depends on the retriever. */
  score: number;
}

export interface Retriever {
  /** Returns the best `k` documents for each query, best first, or fewer if fewer match. */
  retrieve(queries: readonly string[], k: number, signal?: AbortSignal): Promise<Document[][]>;
  close(): Promise<void>;
}

/** Reads a document in Search-R1's form, whose first line is the title. */
export function readContents(id: string, contents: string, score = 0): Document {
  const end = contents.indexOf('\n');
  return end < 0
    ? { id, title: contents, text: '', score }
    : { id, title: contents.slice(0, end), text: contents.slice(end + 1), score };
}

export function writeContents({ title, text }: Pick<Document, 'title' | 'text'>): string {
  return text ? `${title}\n${text}` : title;
}
