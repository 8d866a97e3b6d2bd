/** The interface to questions and documents: a made universe, or a corpus that a person added. */

import type { SourceQuestion } from '../../corpus/question.ts';
import type { Document, Retriever } from '../../corpus/retrieval/retriever.ts';
import type { Mention } from './universe/prose.ts';

export interface Source {
  readonly retriever: Retriever;
  /** `part`: number of hops after which the question ends; 0: the whole question. */
  question(number: number, part?: number): Promise<SourceQuestion> | SourceQuestion;
  /** Names in a question. */
  namedBy(question: SourceQuestion): readonly Mention[];
  /** Mentions of a document, starting with its title. */
  mentionsOf(document: Document): readonly Mention[];
}
