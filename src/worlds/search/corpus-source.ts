/** A kept corpus and the questions that a person added to it, as a source. */

import type { SourceQuestion } from '../../corpus/question.ts';
import type { Document, Retriever } from '../../corpus/retrieval/retriever.ts';
import type { CorpusCalls } from '../../corpus/service.ts';
import { mentionsIn } from './mentions.ts';
import type { Source } from './source.ts';
import { type Mention, onceEach } from './universe/prose.ts';

/** One in this many questions is held out. */
export const heldOutEvery = 5;

export class CorpusSource implements Source {
  readonly retriever: Retriever;

  /** `retriever`: finds the documents, if they are not in the corpus itself. */
  constructor(
    private readonly corpora: CorpusCalls,
    private readonly name: string,
    retriever?: Retriever,
  ) {
    this.retriever = retriever ?? {
      async retrieve(queries, k, signal) {
        signal?.throwIfAborted();
        return corpora.retrieve(name, queries, k);
      },
      // The corpus may be in use elsewhere, so it stays open.
      async close() {},
    };
  }

  question(number: number): Promise<SourceQuestion> {
    return this.corpora.question(this.name, number);
  }

  namedBy({ text }: SourceQuestion): readonly Mention[] {
    return mentionsIn(text);
  }

  mentionsOf({ title, text }: Document): readonly Mention[] {
    return onceEach([{ text: title.trim(), named: true }, ...mentionsIn(text)].filter((each) => each.text));
  }
}
