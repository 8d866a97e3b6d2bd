/** A made universe as a source: its articles in an index, its questions made on demand. */

import type { SourceQuestion } from '../../../corpus/question.ts';
import type { Document, Retriever } from '../../../corpus/retrieval/retriever.ts';
import { TextIndex } from '../../../corpus/retrieval/text-index.ts';
import type { Source } from '../source.ts';
import { type Article, type Mention, writeArticle } from './prose.ts';
import { makeQuestion, partOfQuestion, type Question, type QuestionPlan } from './questions.ts';
import { makeUniverse, type Universe, type UniverseSize } from './universe.ts';

/** Maximum number of cached searches. The episodes of a group often search for the same. */
const mostRemembered = 2000;

/** Builds the index at the first search, since many episodes of a batch never search. */
class LazyRetriever implements Retriever {
  private index: Promise<TextIndex> | null = null;
  private readonly known = new Map<string, Document[]>();

  constructor(private readonly articles: readonly Article[]) {}

  async retrieve(queries: readonly string[], k: number, signal?: AbortSignal): Promise<Document[][]> {
    this.index ??= TextIndex.inMemory(this.articles.map(({ title, text }, id) => ({ id: String(id), title, text })));
    const index = await this.index;
    return queries.map((query) => {
      signal?.throwIfAborted();
      const key = `${k} ${query}`;
      let found = this.known.get(key);
      if (!found) {
        found = index.find(query, k);
        if (this.known.size >= mostRemembered) this.known.clear();
        this.known.set(key, found);
      }
      return found;
    });
  }

  async close(): Promise<void> {
    await (await this.index)?.close();
  }
}

export class UniverseSource implements Source {
  readonly retriever: Retriever;
  private readonly universe: Universe;
  private readonly articles: readonly Article[];
  private readonly questions = new Map<number, Question>();

  constructor(
    seed: number,
    size: UniverseSize,
    private readonly plan: QuestionPlan,
  ) {
    this.universe = makeUniverse(seed, size);
    this.articles = this.universe.entities.map(({ index }) => writeArticle(this.universe, index, plan.distractors));
    this.retriever = new LazyRetriever(this.articles);
  }

  /** Number of articles held in memory. */
  get size(): number {
    return this.articles.length;
  }

  question(number: number, part = 0): Question {
    const whole = this.wholeQuestion(number);
    return part > 0 && part < whole.hops ? partOfQuestion(this.universe, this.plan, whole, { number, part }) : whole;
  }

  private wholeQuestion(number: number): Question {
    let question = this.questions.get(number);
    if (!question) {
      question = makeQuestion(this.universe, this.plan, number);
      this.questions.set(number, question);
    }
    return question;
  }

  namedBy(question: SourceQuestion): readonly Mention[] {
    return [{ text: question.evidence[0], named: true }];
  }

  mentionsOf({ id, title }: Document): readonly Mention[] {
    return [{ text: title, named: true }, ...this.articles[Number(id)].mentions];
  }
}
