/**
 * The oracle: surveys by reading, like an ideal agent. It parses the question, searches for what the direct criteria
 * name, opens every work that is listed, looks up the articles that the other criteria need, and files by the sentences.
 * It has access to texts only, so its score proves that they contain the evidence.
 */
import { lookUp } from '../universe/reader.ts';
import { type Criterion, meets, readQuestion } from './criteria.ts';
import type { SurveyEpisode } from './episode.ts';
import type { SurveyDocument } from './library.ts';
import { type Filing, gradeOf } from './score.ts';

interface Judged extends Filing {
  /** Articles that had to be looked up. */
  looked: string[];
}

const stated = (document: SurveyDocument, relation: string) =>
  lookUp({ title: document.title, text: document.sentences.join(' ') }, [relation]);

class Reader {
  readonly steps: string[] = [];
  private readonly read: Set<string>;
  private readonly filed: Map<string, Filing>;
  private work: string | undefined;

  constructor(
    private readonly episode: SurveyEpisode,
    private readonly criteria: readonly Criterion[],
  ) {
    this.read = new Set(episode.opened.keys());
    this.filed = new Map(episode.filings);
    this.work = episode.work?.id;
  }

  /** Value of a criterion for a work, or null; the articles that lead to it are added to `looked`. */
  private valueOf(document: SurveyDocument, { kind: { relations } }: Criterion, looked: string[]): string | null {
    const [first, second] = relations;
    const value = stated(document, first);
    if (!second || value === null) return value;
    looked.push(value);
    const article = this.episode.library.byTitle(value);
    return article && stated(article, second);
  }

  private judge(document: SurveyDocument): Judged {
    const looked: string[] = [];
    const shows = { met: [] as number[], missed: [] as number[] };
    let met = 0;
    for (const criterion of this.criteria) {
      const value = this.valueOf(document, criterion, looked);
      const isMet = value !== null && meets(criterion, value);
      if (isMet) met++;
      const sentence = document.sentences.findIndex(
        (text) => lookUp({ title: document.title, text }, [criterion.kind.relations[0]]) !== null,
      );
      shows[isMet ? 'met' : 'missed'].push(sentence);
    }
    const grade = gradeOf(met, this.criteria.length);
    const sentence = shows[grade === 'yes' ? 'met' : 'missed'].find((each) => each >= 0) ?? 0;
    return { grade, sentence, looked };
  }

  /** Opens and files a work, unless it is filed rightly already. */
  visit(document: SurveyDocument): void {
    const { grade, sentence, looked } = this.judge(document);
    const filed = this.filed.get(document.id);
    if (filed?.grade === grade && filed.sentence === sentence) return;
    if (this.work !== document.id) this.steps.push(`open ${document.title}`);
    this.work = document.id;
    for (const name of looked) {
      const id = this.episode.library.byTitle(name)?.id;
      if (!id || this.read.has(id)) continue;
      this.read.add(id);
      this.steps.push(`open ${name}`);
    }
    const { actions } = this.episode.options;
    this.steps.push(`${grade} ${actions === 'numbers' ? sentence + 1 : document.sentences[sentence]}`);
    this.filed.set(document.id, { grade, sentence });
  }

  /** Lists all works of a search, from the `listed`th on, and visits each after its page. */
  page(found: readonly SurveyDocument[], listed: number): void {
    const { documents } = this.episode.options;
    for (let at = listed; at < found.length; at += documents) {
      if (at > 0) this.steps.push('more');
      for (const document of found.slice(at, at + documents)) this.visit(document);
    }
  }
}

/** Remaining steps, or null if the question cannot be parsed. */
export async function remainingSteps(episode: SurveyEpisode, signal?: AbortSignal): Promise<string[] | null> {
  const criteria = readQuestion(episode.survey.text);
  if (!criteria) return null;
  const reader = new Reader(episode, criteria);
  if (episode.work) reader.visit(episode.work);
  for (const document of episode.listed) reader.visit(document);
  const last = episode.searches.at(-1);
  if (last && criteria.some(({ object }) => object === last.query)) reader.page(last.found, last.listed);
  for (const { kind, object } of criteria) {
    const made = episode.searches.findLast(({ query }) => query === object);
    if (!kind.direct || (made && (made === last || made.listed === made.found.length))) continue;
    const found = await episode.library.find(object, signal);
    reader.steps.push(`search ${object}`);
    reader.page(found, 0);
  }
  return [...reader.steps, 'done'];
}
