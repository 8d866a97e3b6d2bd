/**
 * Where questions and documents come from: a made universe, or a corpus that a person brought. The world plays whatever a source
 * gives and knows no more of it.
 */
import type { Document, Retriever } from './retrieval/retriever.ts';
import type { Golds } from './rules/score.ts';
import type { Mention } from './universe/prose.ts';

export interface SourceQuestion {
  text: string;
  golds: Golds;
  /** Articles that a question needs, where that is known. */
  hops: number | null;
  /** Their titles, in the order in which they are needed. */
  evidence: readonly string[];
}

export interface Source {
  readonly retriever: Retriever;
  question(number: number): Promise<SourceQuestion> | SourceQuestion;
  /** What a question names. */
  namedBy(question: SourceQuestion): readonly Mention[];
  /** What a shown document offers, its title first. */
  mentionsOf(document: Document): readonly Mention[];
}
