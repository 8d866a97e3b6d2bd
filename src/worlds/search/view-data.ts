/** What a view of Search draws: a question, what was searched and found, and how much of the chain of evidence that is. */
import type { WorldView } from '../../envs/env.ts';

export interface SearchView extends WorldView {
  kind: 'search';
  question: string;
  /** Articles that the question needs; null: not known. */
  hops: number | null;
  /** In order. */
  searches: SearchSeen[];
  /** The articles that lead to the answer, in order; those not yet found have no title. */
  chain: { title: string; found: boolean }[];
  /** What was answered last; null: nothing yet. */
  answer: string | null;
  /** Null while the episode goes on. */
  right: boolean | null;
  /** The accepted answers, once the episode is over. */
  golds: string[];
}

export interface SearchSeen {
  query: string;
  /** What of the query was looked for, as the index compares words. */
  words: string[];
  documents: {
    id: string;
    title: string;
    text: string;
    /** Part of the chain. */
    evidence: boolean;
  }[];
}
