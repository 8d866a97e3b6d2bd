/**
 * The oracle: answers by reading, like an ideal agent. It parses a question into a chain of relations and looks each
 * one up in the articles that searches return. It has access only to the wordings, not to the universe, its facts or
 * the solver, so its answers prove that the texts contain the evidence.
 */
import type { Document, Retriever } from '../../../corpus/retrieval/retriever.ts';
import { derivedWordings, owns } from './derived.ts';
import { relations } from './relations.ts';

interface Pattern {
  pattern: RegExp;
  relation: string;
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Compiles a wording to a pattern whose only group matches the placeholder `slot`: a name, a number or a single word.
 */
function compile(wording: string, slot: '{s}' | '{o}', form = '.+'): RegExp {
  const [before, after] = wording.split(slot).map(literal);
  return new RegExp(`^${before}(${form})${after}$`);
}

/**
 * A name begins with a capital letter, so "born in the year 1204" does not match as a town. Other objects are one
 * number or one word.
 */
const name = '[A-Z\u0001].*';
const forms: { [object: string]: string } = { year: '\\d+', count: '\\d+', occupation: '[a-z]+' };

function patternsOf(part: 'questions' | 'phrases'): Pattern[] {
  return relations.flatMap((relation) =>
    [...Object.values(relation[part]).flat(), ...derivedWordings(relation, part)].map((wording) => ({
      pattern: compile(wording, '{s}', owns(wording) ? '(?!the ).+' : undefined),
      relation: relation.id,
    })),
  );
}

const questionPatterns = patternsOf('questions');
const phrasePatterns = patternsOf('phrases');

/** Placeholder for the subject's name or pronoun in a sentence. */
const self = '\u0001';
const sentencePatterns: Pattern[] = relations.flatMap((relation) =>
  relation.sentences.map((sentence) => {
    const filled = sentence.replace("{s's}", `${self}'s`).replace('{s}', self).replace('{S}', self);
    return { pattern: compile(filled, '{o}', forms[relation.object] ?? name), relation: relation.id };
  }),
);

/** One parse of a question: a name, and for every hop the relations that its wording may mean. */
export interface Reading {
  start: string;
  steps: string[][];
}

/** Matches a text with a set of patterns. Returns, for each inner text, the relations that the wording may mean. */
function matches(patterns: readonly Pattern[], text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { pattern, relation } of patterns) {
    const inner = pattern.exec(text)?.[1];
    if (inner) found.set(inner, [...(found.get(inner) ?? []), relation]);
  }
  return found;
}

/** All parses of a noun phrase. A text that matches no phrase is a name. */
function readPhrase(text: string): Reading[] {
  const found = matches(phrasePatterns, text);
  if (found.size === 0) return [{ start: text, steps: [] }];
  return [...found].flatMap(([inner, relation]) =>
    readPhrase(inner).map(({ start, steps }) => ({ start, steps: [...steps, relation] })),
  );
}

/** All parses of a question, longest chain first. */
export function readQuestion(text: string): Reading[] {
  return [...matches(questionPatterns, text)]
    .flatMap(([inner, relation]) =>
      readPhrase(inner).map(({ start, steps }) => ({ start, steps: [...steps, relation] })),
    )
    .sort((a, b) => a.start.length - b.start.length);
}

/** The first sentence of an article that states one of these relations, with its object. */
function factIn(
  { title, text }: Pick<Document, 'title' | 'text'>,
  wanted: readonly string[],
): { object: string; sentence: string } | null {
  for (const sentence of text.split(/(?<=\.) /)) {
    const filled = sentence
      .replaceAll(title, self)
      .replace(/^(?:It|She|He) /, `${self} `)
      .replace(/^(?:Its|Her|His) /, `${self}'s `);
    for (const { pattern, relation } of sentencePatterns) {
      const object = wanted.includes(relation) ? pattern.exec(filled)?.[1] : undefined;
      if (object) return { object: object.replaceAll(self, title), sentence };
    }
  }
  return null;
}

/** Object of one of these relations according to an article, or null. */
export const lookUp = (article: Pick<Document, 'title' | 'text'>, wanted: readonly string[]): string | null =>
  factIn(article, wanted)?.object ?? null;

/**
 * A step with the thought that leads to it: before a search, the sentence that gave the name, the name, and for each hop
 * from there on the words that state its relation; before an answer, the sentence that gives it.
 */
export type ReaderStep = ({ kind: 'search'; query: string } | { kind: 'answer'; text: string }) & { thought: string };

/** State of the reader: the documents shown so far, and the retriever to find more. */
export interface ReaderState {
  question: string;
  shown: readonly Document[];
  /** Number of documents per search, as in the world. */
  k: number;
  retriever: Retriever;
}

/** Remaining steps, or null if the texts do not lead to an answer. */
export async function remainingSteps(state: ReaderState): Promise<ReaderStep[] | null> {
  for (const reading of readQuestion(state.question)) {
    const steps = await follow(reading, state);
    if (steps) return steps;
  }
  return null;
}

const factPhrases = new Map(
  relations.map(({ id, sentences }) => [id, sentences.map((sentence) => sentence.replace(/\{.*?\}|\./g, ' ').trim())]),
);

/**
 * Queries for finding an article: its name; and, if that finds other articles first, its name with parts of the
 * wordings, those of the wanted relations first. The oracle uses the first query that finds the article.
 */
function queriesFor(name: string, wanted: readonly string[]): string[] {
  const phrases = [...wanted, ...factPhrases.keys()].flatMap((id) => factPhrases.get(id)!);
  return [name, ...phrases.map((words) => `${name} ${words}`)];
}

async function follow({ start, steps }: Reading, { shown, k, retriever }: ReaderState): Promise<ReaderStep[] | null> {
  const known = [...shown];
  const taken: ReaderStep[] = [];
  let at = start;
  let sentence = '';
  for (const [hop, wanted] of steps.entries()) {
    let article = known.find(({ title }) => plainTitle(title) === at);
    for (const query of article ? [] : queriesFor(at, wanted)) {
      const [found] = await retriever.retrieve([query], k);
      article = found.find(({ title }) => plainTitle(title) === at);
      if (!article) continue;
      const hops = steps.slice(hop).map(([relation]) => factPhrases.get(relation)![0]);
      taken.push({ kind: 'search', query, thought: `${sentence} ${at}: ${hops.join(', ')}`.trim() });
      known.push(...found);
      break;
    }
    const fact = article && factIn({ ...article, title: at }, wanted);
    if (!fact) return null;
    ({ object: at, sentence } = fact);
  }
  return [...taken, { kind: 'answer', text: at, thought: sentence }];
}

/** Title without the quotes that Search-R1's corpus puts around it. */
const plainTitle = (title: string) => title.replace(/^"(.*)"$/, '$1');
