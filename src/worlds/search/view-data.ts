/**
 * The data that a view of Search draws: the question, the searches with their documents, and the part of the evidence
 * found so far.
 */
import type { WorldView } from '../../envs/env.ts';

export interface SearchView extends WorldView {
  kind: 'search';
  question: string;
  /** Number of articles that the answer requires, or null if unknown. */
  hops: number | null;
  /** All searches so far, in order. */
  searches: SearchSeen[];
  /** Articles that lead to the answer, in order. The title is empty until the article has been found. */
  chain: { title: string; found: boolean }[];
  /** Latest answer, or null if there is none yet. */
  answer: string | null;
  /** True if the answer is right; null until the episode is over. */
  right: boolean | null;
  /** Accepted answers; empty until the episode is over. */
  golds: string[];
}

export interface SearchSeen {
  query: string;
  /** Search terms of the query, in the form in which the index compares them. */
  words: string[];
  documents: {
    id: string;
    title: string;
    text: string;
    /** True if the document is part of the evidence. */
    evidence: boolean;
  }[];
}
