/** A question about passages, with its accepted answers. */

/** Accepted answers, any one of which is correct. A string stands for a list of one. */
export type Golds = string | readonly string[];

export interface SourceQuestion {
  text: string;
  golds: Golds;
  /** Number of articles that the answer requires, or null if unknown. */
  hops: number | null;
  /** Titles of the required articles, in the order in which they are needed. */
  evidence: readonly string[];
}
