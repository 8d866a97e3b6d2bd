/**
 * Where questions and documents come from: a made universe, or a corpus that a person brought. The world plays whatever a source
 * gives and knows no more of it.
 */

import type { SourceQuestion } from '../../corpus/question.ts';
import type { Document, Retriever } from '../../corpus/retrieval/retriever.ts';
import type { Mention } from './universe/prose.ts';

export interface Source {
  readonly retriever: Retriever;
  question(number: number): Promise<SourceQuestion> | SourceQuestion;
  /** What a question names. */
  namedBy(question: SourceQuestion): readonly Mention[];
  /** What a shown document offers, its title first. */
  mentionsOf(document: Document): readonly Mention[];
}
