/**
 * The oracle: answers by reading. It turns a question's words back into a chain of relations and looks each one up in the text of
 * the articles that searches return, as an ideal agent would. It sees no universe, no fact and no solver; it knows the wordings
 * and nothing else, so that what it answers proves that the text says it.
 */
import type { Document, Retriever } from '../../../corpus/retrieval/retriever.ts';
import { relations } from './relations.ts';

interface Pattern {
  pattern: RegExp;
  relation: string;
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A wording as a pattern whose one group is what stands for the `slot`: a name, a number or a word. */
function compile(wording: string, slot: '{s}' | '{o}', form = '.+'): RegExp {
  const [before, after] = wording.split(slot).map(literal);
  return new RegExp(`^${before}(${form})${after}$`);
}

/** A name begins with a capital letter: "born in the year 1204" names no town. Other objects are one number or one word. */
const name = '[A-Z\u0001].*';
const forms: { [object: string]: string } = { year: '\\d+', count: '\\d+', occupation: '[a-z]+' };

function patternsOf(part: 'questions' | 'phrases'): Pattern[] {
  return relations.flatMap((relation) =>
    [...relation[part].train, ...relation[part].test].map((wording) => ({
      pattern: compile(wording, '{s}'),
      relation: relation.id,
    })),
  );
}

const questionPatterns = patternsOf('questions');
const phrasePatterns = patternsOf('phrases');

/** Where the subject stands in a sentence, once its name and its pronoun are taken out. */
const self = '\u0001';
const sentencePatterns: Pattern[] = relations.flatMap((relation) =>
  relation.sentences.map((sentence) => {
    const told = sentence.replace("{s's}", `${self}'s`).replace('{s}', self).replace('{S}', self);
    return { pattern: compile(told, '{o}', forms[relation.object] ?? name), relation: relation.id };
  }),
);

/** Ways to read a question: a name, and for each relation from it on the relations that the words may mean. */
export interface Reading {
  start: string;
  steps: string[][];
}

/** Ways to understand a text by one set of patterns: the inner text, and which relations the words may mean. */
function matches(patterns: readonly Pattern[], text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { pattern, relation } of patterns) {
    const inner = pattern.exec(text)?.[1];
    if (inner) found.set(inner, [...(found.get(inner) ?? []), relation]);
  }
  return found;
}

/** Every reading of a noun phrase; one that no phrase fits is a name. */
function readPhrase(text: string): Reading[] {
  const found = matches(phrasePatterns, text);
  if (found.size === 0) return [{ start: text, steps: [] }];
  return [...found].flatMap(([inner, relation]) =>
    readPhrase(inner).map(({ start, steps }) => ({ start, steps: [...steps, relation] })),
  );
}

/** Readings of a question; those from which the most is understood first. */
export function readQuestion(text: string): Reading[] {
  return [...matches(questionPatterns, text)]
    .flatMap(([inner, relation]) =>
      readPhrase(inner).map(({ start, steps }) => ({ start, steps: [...steps, relation] })),
    )
    .sort((a, b) => a.start.length - b.start.length);
}

/** What an article says of its subject in one of these relations; null: nothing. */
export function lookUp({ title, text }: Pick<Document, 'title' | 'text'>, wanted: readonly string[]): string | null {
  for (const sentence of text.split(/(?<=\.) /)) {
    const told = sentence
      .replaceAll(title, self)
      .replace(/^(?:It|She|He) /, `${self} `)
      .replace(/^(?:Its|Her|His) /, `${self}'s `);
    for (const { pattern, relation } of sentencePatterns) {
      const object = wanted.includes(relation) ? pattern.exec(told)?.[1] : undefined;
      if (object) return object.replaceAll(self, title);
    }
  }
  return null;
}

export type ReaderStep = { kind: 'search'; query: string } | { kind: 'answer'; text: string };

/** What it takes to read on: the documents that were shown, and a way to find more. */
export interface ReaderState {
  question: string;
  shown: readonly Document[];
  /** Documents of one search, as the world shows them. */
  k: number;
  retriever: Retriever;
}

/** The steps that are left, or null where the text does not lead to an answer. */
export async function readOn(state: ReaderState): Promise<ReaderStep[] | null> {
  for (const reading of readQuestion(state.question)) {
    const steps = await follow(reading, state);
    if (steps) return steps;
  }
  return null;
}

const wordsTold = new Map(
  relations.map(({ id, sentences }) => [id, sentences.map((sentence) => sentence.replace(/\{.*?\}|\./g, ' ').trim())]),
);

/**
 * What to search for an article by: its name; where that finds others first, the name with words in which something is told, those of
 * the relations looked for before all others. The first that finds it is what the oracle says.
 */
function queriesFor(name: string, wanted: readonly string[]): string[] {
  const told = [...wanted, ...wordsTold.keys()].flatMap((id) => wordsTold.get(id)!);
  return [name, ...told.map((words) => `${name} ${words}`)];
}

async function follow({ start, steps }: Reading, { shown, k, retriever }: ReaderState): Promise<ReaderStep[] | null> {
  const known = [...shown];
  const taken: ReaderStep[] = [];
  let at = start;
  for (const wanted of steps) {
    let article = known.find(({ title }) => plainTitle(title) === at);
    for (const query of article ? [] : queriesFor(at, wanted)) {
      const [found] = await retriever.retrieve([query], k);
      article = found.find(({ title }) => plainTitle(title) === at);
      if (!article) continue;
      taken.push({ kind: 'search', query });
      known.push(...found);
      break;
    }
    const object = article && lookUp({ ...article, title: at }, wanted);
    if (!object) return null;
    at = object;
  }
  return [...taken, { kind: 'answer', text: at }];
}

/** Search-R1's corpus writes titles in quotes. */
const plainTitle = (title: string) => title.replace(/^"(.*)"$/, '$1');
