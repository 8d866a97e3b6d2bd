/**
 * Sources of a survey: the documents that are surveyed, how they are found, and the truth about them. This file has made
 * universes; `own/library.ts` a person's corpus.
 */

import { queryTerms } from '../../../corpus/retrieval/query.ts';
import type { Retriever } from '../../../corpus/retrieval/retriever.ts';
import { TextIndex } from '../../../corpus/retrieval/text-index.ts';
import { WorldError } from '../../../envs/env.ts';
import { mixSeeds, Random } from '../../../envs/random.ts';
import { type Article, writeArticle } from '../universe/prose.ts';
import { solve } from '../universe/solver.ts';
import { makeUniverse, type Shares, type Universe } from '../universe/universe.ts';
import {
  type Criterion,
  combinationsOf,
  criterionText,
  kindOf,
  meets,
  type Wording,
  writeQuestion,
} from './criteria.ts';
import { gradeOf, type Truth } from './score.ts';

/** A document as it is shown: its sentences in order, and the names in it that have an article. */
export interface SurveyDocument {
  id: string;
  title: string;
  sentences: readonly string[];
  names: readonly string[];
  /** True if it may be filed. */
  isWork: boolean;
}

export interface Survey {
  text: string;
  /** A sentence for each criterion. */
  criteria: readonly string[];
  /** Words that the question offers to search for. */
  queries: readonly string[];
}

/** Documents that are surveyed. */
export interface Library {
  survey(number: number): Survey | Promise<Survey>;
  /** All works that mention every word of the query; if there are none, those that mention one. Best first. */
  find(query: string, signal?: AbortSignal): Promise<SurveyDocument[]>;
  /** Document of a title, or null. */
  byTitle(title: string): SurveyDocument | null;
  /** The truth by which filings of a survey are scored. `seen`: documents that the agent was shown. */
  truth(
    number: number,
    seen: readonly SurveyDocument[],
    signal?: AbortSignal,
  ): ReadonlyMap<string, Truth> | Promise<ReadonlyMap<string, Truth>>;
  close(): Promise<void>;
}

/** Maximum number of works that a search finds. */
export const mostFound = 100;

export const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?]) +/).filter((each) => each);

/** Documents with all words of the query; if there are none, all of them. */
export function withAllWords<D extends { title: string; sentences: readonly string[] }>(
  query: string,
  found: D[],
): D[] {
  const words = queryTerms(query);
  const all = found.filter(({ title, sentences }) => {
    const own = new Set(queryTerms(`${title} ${sentences.join(' ')}`));
    return words.every((word) => own.has(word));
  });
  return all.length ? all : found;
}

/** Shares of the kinds of articles: more works than in Search, and fewer towns and organisations, which they share. */
const shares: Shares = { region: 5, town: 10, organisation: 10, work: 45 };
/** More facts than an article can have. */
const allFacts = 20;

/** Draws of a question, of which the one with the most works under yes is taken. */
const draws = 8;
const attempts = 400;

export interface LibraryPlan {
  articles: number;
  distractors: number;
  /** Numbers of criteria, used by the questions in turn. */
  criteria: readonly number[];
  wording: Wording;
  /** Questions that combine held-out criteria: those with an even number (1), with an odd one (0), or none (null). */
  heldOutCriteria: number | null;
}

interface MadeSurvey extends Survey {
  asked: readonly Criterion[];
}

/** True if a question joins criteria that training never joins. */
export const isHeldOutCriteria = (
  { heldOutCriteria, criteria }: Pick<LibraryPlan, 'heldOutCriteria' | 'criteria'>,
  number: number,
): boolean => heldOutCriteria !== null && (Math.floor(number / criteria.length) + heldOutCriteria) % 2 === 1;

/** The works of a made universe, with its other articles to look up. */
export class UniverseLibrary implements Library {
  private readonly universe: Universe;
  private readonly articles: readonly Article[];
  private readonly byName: ReadonlyMap<string, number>;
  private readonly works: readonly number[];
  private readonly surveys = new Map<number, MadeSurvey>();
  /** Truth of each survey that was played: the episodes of a group share it. */
  private readonly truths = new Map<number, ReadonlyMap<string, Truth>>();
  private readonly documents = new Map<number, SurveyDocument>();
  private index: Promise<Retriever> | null = null;

  constructor(
    seed: number,
    private readonly plan: LibraryPlan,
  ) {
    this.universe = makeUniverse(seed, { articles: plan.articles, facts: allFacts, shares });
    this.works = this.universe.entities.filter(({ kind }) => kind === 'work').map(({ index }) => index);
    this.articles = this.universe.entities.map(({ index }) => writeArticle(this.universe, index, plan.distractors));
    this.byName = new Map(this.universe.entities.map(({ name, index }) => [name, index]));
  }

  survey(number: number): MadeSurvey {
    const survey = this.surveys.get(number) ?? this.draw(number);
    this.surveys.set(number, survey);
    return survey;
  }

  async find(query: string, signal?: AbortSignal): Promise<SurveyDocument[]> {
    this.index ??= TextIndex.inMemory(this.works.map((id) => ({ id: String(id), ...this.articles[id] })));
    const [found] = await (await this.index).retrieve([query], mostFound, signal);
    return withAllWords(
      query,
      found.map(({ id }) => this.document(Number(id))),
    );
  }

  byTitle(title: string): SurveyDocument | null {
    const index = this.byName.get(title);
    return index === undefined ? null : this.document(index);
  }

  truth(number: number): ReadonlyMap<string, Truth> {
    const known = this.truths.get(number);
    if (known) return known;
    const { asked } = this.survey(number);
    const truth = new Map(this.works.map((index) => [String(index), this.truthOf(index, asked)] as const));
    this.truths.set(number, truth);
    return truth;
  }

  async close(): Promise<void> {
    await (await this.index)?.close();
  }

  private document(index: number): SurveyDocument {
    let document = this.documents.get(index);
    if (!document) {
      const { title, text, mentions } = this.articles[index];
      document = {
        id: String(index),
        title,
        sentences: sentencesOf(text),
        names: mentions.filter(({ named }) => named).map(({ text }) => text),
        isWork: this.universe.entities[index].kind === 'work',
      };
      this.documents.set(index, document);
    }
    return document;
  }

  private isMet(index: number, criterion: Criterion): boolean {
    const values = solve(this.universe, { start: index, relations: criterion.kind.relations });
    return values.some((value) => meets(criterion, value));
  }

  private truthOf(index: number, asked: readonly Criterion[]): Truth {
    const { stated } = this.articles[index];
    const shows = { met: [] as number[], missed: [] as number[] };
    let met = 0;
    for (const criterion of asked) {
      const isMet = this.isMet(index, criterion);
      if (isMet) met++;
      const sentence = stated.indexOf(criterion.kind.relations[0]);
      if (sentence >= 0) shows[isMet ? 'met' : 'missed'].push(sentence);
    }
    return { grade: gradeOf(met, asked.length), shows };
  }

  /** Draws a few questions and takes the one with the most works under yes, so that there is something to find. */
  private draw(number: number): MadeSurvey {
    const count = this.plan.criteria[number % this.plan.criteria.length];
    const combinations = combinationsOf(count, isHeldOutCriteria(this.plan, number));
    const random = new Random(mixSeeds(this.universe.seed, 0x5e7, number, count));
    let best: { asked: Criterion[]; yes: number } | null = null;
    for (let attempt = 0, drawn = 0; attempt < attempts && drawn < draws; attempt++) {
      const asked = this.criteriaOf(random.pick(this.works), random.pick(combinations), random);
      if (!asked) continue;
      drawn++;
      const yes = this.works.filter((index) => asked.every((each) => this.isMet(index, each))).length;
      if (!best || yes > best.yes) best = { asked, yes };
    }
    if (!best) throw new WorldError(`The universe of seed ${this.universe.seed} has no question of ${count} criteria.`);
    const { asked } = best;
    return {
      asked,
      text: writeQuestion(asked, this.plan.wording, (list) => random.pick(list)),
      criteria: asked.map(criterionText),
      queries: asked.filter(({ kind }) => kind.direct).map(({ object }) => object),
    };
  }

  /** Criteria of a combination that a work meets; null if it lacks a fact. */
  private criteriaOf(work: number, ids: readonly string[], random: Random): Criterion[] | null {
    const criteria = ids.map((id) => {
      const kind = kindOf(id === 'year' ? random.pick(['before', 'after']) : id);
      const [value] = solve(this.universe, { start: work, relations: kind.relations });
      if (value === undefined || kind.compare === 'equal') return { kind, object: value };
      const far = random.between(1, 6) * 50;
      return { kind, object: String(+value + (kind.compare === 'before' ? far : -far)) };
    });
    return criteria.every(({ object }) => object !== undefined) ? random.shuffle(criteria) : null;
  }
}
