/**
 * An episode of a survey: the works listed, the document that is open, and what is filed where. The world carries out
 * searches and gets the truth, so that it can wait for them.
 */
import type { Feedback } from '../../../envs/env.ts';
import type { Library, Survey, SurveyDocument } from './library.ts';
import type { SurveyOptions } from './options.ts';
import { type Filing, type Grade, grades, type SurveyScore, scoreOf, type Truth } from './score.ts';
import { type SurveyView, viewOf } from './view-data.ts';

export type Act =
  | { kind: 'search'; query: string }
  | { kind: 'more' }
  | { kind: 'open'; title: string }
  | { kind: 'file'; grade: Grade; evidence: string }
  | { kind: 'done' }
  | { kind: 'invalid' };

const withText = new RegExp(`^(search|open|${grades.join('|')})\\b:?\\s*(.+)$`, 'is');
const unknown = 'Say: search WORDS, more, open TITLE, yes N, partly N, no N, or done.';

/** Reads an action; a sentence may be given by its number or its words. */
export function readAct(action: string): Act {
  const plain = action.trim();
  if (/^done\.?$/i.test(plain)) return { kind: 'done' };
  if (/^more\.?$/i.test(plain)) return { kind: 'more' };
  const [, name, text] = withText.exec(plain) ?? [];
  if (!name) return { kind: 'invalid' };
  const verb = name.toLowerCase();
  if (verb === 'search') return { kind: 'search', query: text };
  if (verb === 'open') return { kind: 'open', title: text };
  return { kind: 'file', grade: verb as Grade, evidence: text };
}

/** A search with the number of its works that have been listed. */
interface Search {
  query: string;
  found: readonly SurveyDocument[];
  listed: number;
}

export class SurveyEpisode {
  readonly searches: Search[] = [];
  /** Documents that were opened, in order. */
  readonly opened = new Map<string, SurveyDocument>();
  readonly filings = new Map<string, Filing>();
  /** The work that filing concerns: the last one opened. */
  work: SurveyDocument | null = null;
  turns = 0;
  private lookedUp: SurveyDocument | null = null;
  private score: SurveyScore | null = null;
  private isOver = false;

  constructor(
    readonly library: Library,
    readonly number: number,
    readonly survey: Survey,
    readonly options: SurveyOptions,
    private truths: ReadonlyMap<string, Truth> | null,
  ) {}

  begin(): Feedback {
    const observation = `Question: ${this.survey.text}`;
    return { observation, reward: 0, done: false, valid: true, validActions: this.validActions() };
  }

  /** Documents that a search has listed, in order. */
  get listed(): SurveyDocument[] {
    const all = this.searches.flatMap(({ found, listed }) => found.slice(0, listed));
    return [...new Map(all.map((document) => [document.id, document])).values()];
  }

  /** Applies an action. `found`: works of a search; `truths`: the truth at the end, if it is known only then. */
  take(act: Act, found: readonly SurveyDocument[], truths = this.truths): Feedback {
    if (this.isOver) return this.answer('The survey is over.', false);
    this.turns++;
    if (act.kind === 'search') return this.search(act.query, found);
    if (act.kind === 'more') return this.more();
    if (act.kind === 'open') return this.open(act.title);
    if (act.kind === 'file') return this.file(act.grade, act.evidence);
    if (act.kind === 'invalid') return this.answer(unknown, false);
    this.truths = truths;
    this.isOver = true;
    return this.answer('The survey is over.', true);
  }

  private search(query: string, found: readonly SurveyDocument[]): Feedback {
    const search = { query, found, listed: 0 };
    this.searches.push(search);
    return found.length ? this.list(search) : this.answer('Nothing was found.', true);
  }

  private more(): Feedback {
    const search = this.searches.at(-1);
    if (!search || search.listed >= search.found.length) return this.answer('There are no more.', false);
    return this.list(search);
  }

  private list(search: Search): Feedback {
    const shown = search.found.slice(search.listed, search.listed + this.options.documents);
    search.listed += shown.length;
    const lines = shown.map(({ title }, k) => `${search.listed - shown.length + k + 1} ${title}`);
    const rest = search.listed < search.found.length ? ['more'] : [];
    return this.answer([...lines, ...rest].join('\n'), true);
  }

  private open(title: string): Feedback {
    const listed = this.searches.at(-1)?.found.slice(0, this.searches.at(-1)!.listed) ?? [];
    const document =
      listed.find((each) => each.title === title) ??
      this.listed.find((each) => each.title === title) ??
      listed[Number(title) - 1] ??
      this.library.byTitle(title);
    if (!document) return this.answer('There is no such title.', false);
    this.opened.set(document.id, document);
    this.lookedUp = document;
    if (document.isWork) this.work = document;
    return this.answer([document.title, ...document.sentences.map((each, k) => `${k + 1} ${each}`)].join('\n'), true);
  }

  private file(grade: Grade, evidence: string): Feedback {
    const { work } = this;
    if (!work) return this.answer('Open a work first.', false);
    const words = evidence.trim();
    const sentence = /^\d+\.?$/.test(words) ? Number.parseInt(words, 10) - 1 : work.sentences.indexOf(words);
    if (!(sentence in work.sentences)) return this.answer('The work has no such sentence.', false);
    this.filings.set(work.id, { grade, sentence });
    return this.answer(`Filed under ${grade}.`, true);
  }

  private answer(observation: string, valid: boolean): Feedback {
    if (valid && this.truths) this.score = scoreOf(this.filings, this.truths, this.options.evidence);
    const reward = this.score?.f1 ?? 0;
    const validActions = !valid || this.isOver ? null : this.validActions();
    return { observation, reward, done: this.isOver, valid, validActions };
  }

  /**
   * Offered: searches not yet made, titles not yet filed, names in what is open, each place for the open work with each
   * of its sentences, the end.
   */
  private validActions(): string[] {
    const { work, survey, options } = this;
    const made = new Set(this.searches.map(({ query }) => query));
    const last = this.searches.at(-1);
    const titles = this.listed.filter(({ id }) => !this.filings.has(id) && id !== work?.id).map(({ title }) => title);
    const names = this.lookedUp?.names.filter((name) => this.library.byTitle(name)) ?? [];
    const evidence = (sentence: string, k: number) => (options.actions === 'numbers' ? String(k + 1) : sentence);
    const isOpen = work && !this.filings.has(work.id);
    return [
      ...survey.queries.filter((query) => !made.has(query)).map((query) => `search ${query}`),
      ...(last && last.listed < last.found.length ? ['more'] : []),
      ...[...new Set([...titles, ...names])].map((title) => `open ${title}`),
      ...(isOpen
        ? grades.flatMap((grade) => [...new Set(work.sentences.map(evidence))].map((each) => `${grade} ${each}`))
        : []),
      'done',
    ];
  }

  view(): SurveyView {
    const { survey, searches, opened, filings, work, turns, isOver } = this;
    const truths = isOver ? this.truths : null;
    return viewOf({
      survey,
      searches,
      opened,
      filings,
      open: this.lookedUp,
      work,
      turns,
      truths,
      score: isOver ? this.score : null,
    });
  }
}
