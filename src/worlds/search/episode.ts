/**
 * An episode about one question: its searches, the documents shown, the valid actions and the result. Applies the
 * actions that the rules parse from replies. The world executes the searches, so that it can batch them over episodes.
 */

import type { Golds, SourceQuestion } from '../../corpus/question.ts';
import { queryTerms } from '../../corpus/retrieval/query.ts';
import type { Document } from '../../corpus/retrieval/retriever.ts';
import type { Feedback } from '../../envs/env.ts';
import type { SearchOptions } from './options.ts';
import { agentGymRules } from './rules/agentgym.ts';
import { ownRules } from './rules/own.ts';
import type { Act, Rules } from './rules/rules.ts';
import { searchR1Turns } from './rules/search-r1.ts';
import type { Source } from './source.ts';
import type { Mention } from './universe/prose.ts';
import type { SearchView } from './view-data.ts';

const rulesOf = ({ upstream }: SearchOptions): Rules => (upstream ? agentGymRules : ownRules);

interface Search {
  query: string;
  documents: readonly Document[];
}

const asList = (golds: Golds): readonly string[] => (typeof golds === 'string' ? [golds] : golds);
const plainTitle = (title: string): string => title.replace(/^"(.*)"$/s, '$1');

/** Valid actions for a mention: a search if it has a name, and an answer. */
function offersOf(rules: Rules, { text, named }: Mention): string[] {
  const plain = plainTitle(text);
  const answer = rules.write({ kind: 'answer', text: plain });
  return named ? [rules.write({ kind: 'search', query: plain }), answer] : [answer];
}

export class Episode {
  readonly rules: Rules;
  readonly searches: Search[] = [];
  private readonly seen = new Set<string>();
  private readonly offered: string[] = [];
  private turns = 0;
  private answer: string | null = null;
  private ended: { right: boolean } | null = null;

  constructor(
    readonly source: Source,
    readonly question: SourceQuestion,
    readonly options: SearchOptions,
    /** Question as the agent reads it. */
    private readonly asked = question.text,
  ) {
    this.rules = rulesOf(options);
    this.offer(source.namedBy(question));
  }

  /** First observation. */
  begin(): Feedback {
    const observation = this.rules.ask(this.asked);
    return { observation, reward: 0, done: false, valid: true, validActions: [...this.offered] };
  }

  get shown(): Document[] {
    return this.searches.flatMap(({ documents }) => documents);
  }

  get isOver(): boolean {
    return this.ended !== null && !this.options.upstream;
  }

  read(reply: string): Act {
    return this.isOver ? { kind: 'invalid' } : this.rules.read(reply);
  }

  /** Applies a reply. `found` contains the documents if it is a search. */
  take(reply: string, act: Act, found: readonly Document[]): Feedback {
    if (this.isOver) return this.feedback('The episode is over.', false, this.ended!.right);
    this.turns++;
    if (act.kind === 'answer') return this.judge(reply, act);
    if (this.isLastReply) return this.end(false, this.rules.wrong, act.kind === 'search');
    if (act.kind === 'invalid') return this.feedback(this.rules.invalid, false);
    this.searches.push({ query: act.query, documents: found });
    const before = this.offered.length;
    for (const document of found) this.offer(this.source.mentionsOf(document));
    const shown = this.feedback(this.rules.show(found), true);
    return this.offered.length > before ? { ...shown, validActions: [...this.offered] } : shown;
  }

  /** After its turns, Search-R1 requests one last reply in which searches are not executed. */
  private get isLastReply(): boolean {
    const { upstream, ending } = this.options;
    return !upstream && ending === 'search-r1' && this.turns > searchR1Turns;
  }

  private judge(reply: string, act: Act & { kind: 'answer' }): Feedback {
    this.answer = act.text;
    const right = this.rules.isRight(reply, act, this.question.golds);
    const again = this.options.upstream || this.options.ending === 'retry';
    if (!right && again) return this.feedback(this.rules.wrong, true);
    return this.end(right, right ? this.rules.right : this.rules.wrong, true);
  }

  private end(right: boolean, observation: string, valid: boolean): Feedback {
    this.ended = { right };
    return { observation, reward: Number(right), done: true, valid, validActions: null };
  }

  private feedback(observation: string, valid: boolean, done = false): Feedback {
    return { observation, reward: 0, done: done || this.isOver, valid, validActions: null };
  }

  private offer(mentions: readonly Mention[]): void {
    for (const mention of mentions) {
      const plain = plainTitle(mention.text);
      if (this.seen.has(plain)) continue;
      this.seen.add(plain);
      this.offered.push(...offersOf(this.rules, mention));
    }
  }

  view(): SearchView {
    const { golds, hops, evidence } = this.question;
    const titles = new Set(this.shown.map(({ title }) => plainTitle(title)));
    const searches = this.searches.map(({ query, documents }) => ({
      query,
      words: queryTerms(query),
      documents: documents.map(({ id, title, text }) => ({
        id,
        title: plainTitle(title),
        text,
        evidence: evidence.includes(plainTitle(title)),
      })),
    }));
    return {
      kind: 'search',
      text: this.describe(),
      question: this.asked.trim(),
      hops,
      searches,
      chain: evidence.map((title) => ({ title: titles.has(title) ? title : '', found: titles.has(title) })),
      answer: this.answer,
      right: this.ended ? this.ended.right : null,
      golds: this.ended ? [...asList(golds)] : [],
    };
  }

  private describe(): string {
    const last = this.searches.at(-1);
    const searched = last
      ? `${this.searches.length} searches, the last for "${last.query}": ${last.documents.map(({ title }) => plainTitle(title)).join(', ') || 'nothing'}`
      : 'nothing searched yet';
    const answered = this.answer === null ? '' : `; answered "${this.answer}"`;
    const ended = this.ended ? (this.ended.right ? ', which is right' : ', which is wrong') : '';
    return `Question: ${this.asked.trim()} ${searched}${answered}${this.answer === null ? '' : ended}.`;
  }
}
