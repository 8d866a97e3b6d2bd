/**
 * A person's corpus as a library: its surveys are options, and a judge gives the truth. The judge reads the pool of a
 * survey, as in TREC: the documents that a search finds for the question and for each criterion, and those that the
 * agent was shown. A document is judged once for each survey.
 */
import type { Document } from '../../../../corpus/retrieval/retriever.ts';
import type { CorpusCalls } from '../../../../corpus/service.ts';
import { WorldError } from '../../../../envs/env.ts';
import { mentionsIn } from '../../mentions.ts';
import { type Library, mostFound, type Survey, type SurveyDocument, sentencesOf, withAllWords } from '../library.ts';
import type { SurveyOptions } from '../options.ts';
import { gradeOf, type Truth } from '../score.ts';
import type { Finding, Judge } from './judge.ts';

const mostCriteria = 4;

/** Survey of a text `question | criterion | criterion`. Throws with the text if it has not two to four criteria. */
export function surveyOf(text: string): Survey {
  const [question, ...criteria] = text.split('|').map((part) => part.trim());
  if (!question || criteria.length < 2 || criteria.length > mostCriteria || criteria.includes(''))
    throw new WorldError(
      `A survey is a question and two to four criteria, separated by |, as in "Which papers fit? | trains an agent | runs in a browser" (it is "${text}").`,
    );
  const names = mentionsIn(criteria.join('. ')).map(({ text }) => text);
  return {
    text: `${question} Criteria: ${criteria.join('; ')}.`,
    criteria,
    queries: [...new Set([...criteria, ...names])],
  };
}

const documentOf = ({ id, title, text }: Document): SurveyDocument => ({
  id,
  title: title.replace(/^"(.*)"$/s, '$1').trim(),
  sentences: sentencesOf(text.replace(/\s+/g, ' ')),
  names: [],
  isWork: true,
});

const truthOf = (findings: readonly Finding[]): Truth => {
  const sentences = (met: boolean) =>
    findings.flatMap((finding) => (finding.met === met && finding.sentence !== null ? [finding.sentence] : []));
  const met = findings.filter((finding) => finding.met).length;
  return { grade: gradeOf(met, findings.length), shows: { met: sentences(true), missed: sentences(false) } };
};

export class CorpusLibrary implements Library {
  private readonly surveys: readonly Survey[];
  private readonly judged = new Map<string, Promise<Truth>>();

  constructor(
    private readonly corpora: Pick<CorpusCalls, 'retrieve'>,
    private readonly options: Pick<SurveyOptions, 'corpus' | 'surveys' | 'pool'>,
    private readonly judge: Judge,
  ) {
    this.surveys = options.surveys.map(surveyOf);
  }

  survey(number: number): Survey {
    const survey = this.surveys[number];
    if (!survey) throw new WorldError(`There is no survey ${number}: the option "surveys" has ${this.surveys.length}.`);
    return survey;
  }

  async find(query: string): Promise<SurveyDocument[]> {
    return withAllWords(query, await this.retrieve(query, mostFound));
  }

  byTitle(): null {
    return null;
  }

  async truth(number: number, seen: readonly SurveyDocument[], signal?: AbortSignal): Promise<Map<string, Truth>> {
    const { text, criteria } = this.survey(number);
    const found = await Promise.all([text, ...criteria].map((query) => this.retrieve(query, this.options.pool)));
    const pool = new Map([...seen, ...found.flat()].map((document) => [document.id, document]));
    const truths = await Promise.all(
      [...pool.values()].map(
        async (document) => [document.id, await this.judgement(number, document, signal)] as const,
      ),
    );
    return new Map(truths);
  }

  /** The corpus may be in use elsewhere, so it stays open. */
  async close(): Promise<void> {}

  private async retrieve(query: string, k: number): Promise<SurveyDocument[]> {
    const [found] = await this.corpora.retrieve(this.options.corpus, [query], k);
    return found.map(documentOf);
  }

  private judgement(number: number, document: SurveyDocument, signal?: AbortSignal): Promise<Truth> {
    const key = `${number} ${document.id}`;
    let known = this.judged.get(key);
    if (!known) {
      known = this.judge(document, this.survey(number).criteria, signal).then(truthOf);
      this.judged.set(key, known);
      known.catch(() => this.judged.delete(key));
    }
    return known;
  }
}
