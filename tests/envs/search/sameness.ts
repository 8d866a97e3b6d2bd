/**
 * Results that must be the same on every engine: a universe's articles and questions, and search results in its index.
 */
import { TextIndex } from '../../../src/corpus/retrieval/text-index.ts';
import { writeArticle } from '../../../src/worlds/search/universe/prose.ts';
import { makeQuestion } from '../../../src/worlds/search/universe/questions.ts';
import { makeUniverse } from '../../../src/worlds/search/universe/universe.ts';

/** SHA-256 of `textOf(1)` and of `foundIn(1)`, computed once on Node. */
export const expected = {
  text: '77aff823a52e1c2eb8ec348a5a5298d8f36a43758326a7c0335f8cf015f8c859',
  found: 'f305545760959d0f0a1a60623e4c2816d960f44638e050a98b5fb3c1ca3b3034',
};

export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const plan = { hops: [1, 2, 3, 4], wording: 'train' as const, distractors: 1 };

function make(seed: number) {
  const universe = makeUniverse(seed, { articles: 60, facts: 8 });
  const articles = universe.entities.map(({ index }) => writeArticle(universe, index, 1));
  return { articles, questions: Array.from({ length: 20 }, (_, k) => makeQuestion(universe, plan, k)) };
}

export function textOf(seed: number): string {
  const { articles, questions } = make(seed);
  const texts = articles.map(({ title, text, mentions }) => ({ title, text, mentions }));
  return JSON.stringify([texts, questions]);
}

/** Documents and scores, to the last bit, with each question as the query. */
export async function foundIn(seed: number): Promise<string> {
  const { articles, questions } = make(seed);
  const index = await TextIndex.inMemory(articles.map(({ title, text }, id) => ({ id: String(id), title, text })));
  const found = questions.map((question) => index.find(question.text, 10).map(({ id, score }) => [id, score]));
  await index.close();
  return JSON.stringify(found);
}
