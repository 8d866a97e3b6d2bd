import { describe, expect, it } from 'vitest';
import { TextIndex } from '../../../src/corpus/retrieval/text-index.ts';
import { Random } from '../../../src/envs/random.ts';
import { exactMatch } from '../../../src/worlds/search/rules/score.ts';
import { derivedWordings } from '../../../src/worlds/search/universe/derived.ts';
import { Namer, nameWords } from '../../../src/worlds/search/universe/names.ts';
import { writeArticle } from '../../../src/worlds/search/universe/prose.ts';
import { makeQuestion, type Wording } from '../../../src/worlds/search/universe/questions.ts';
import { lookUp, readQuestion, remainingSteps } from '../../../src/worlds/search/universe/reader.ts';
import { type Relation, relationOf, relations } from '../../../src/worlds/search/universe/relations.ts';
import { solve } from '../../../src/worlds/search/universe/solver.ts';
import { makeUniverse } from '../../../src/worlds/search/universe/universe.ts';
import { expected, foundIn, sha256, textOf } from './sameness.ts';

/**
 * Number of questions that the reader must answer, for each number of hops. TABGYM_SEARCH_QUESTIONS=10000 is the long
 * form of the check.
 */
const questionsEach = Number(process.env.TABGYM_SEARCH_QUESTIONS ?? 200);

const sizes = { articles: 60, facts: 8 };
describe('a universe', () => {
  it('is the same for the same seed, at any time and on every engine, and so are its search results', async () => {
    expect(await sha256(textOf(1))).toBe(expected.text);
    expect(textOf(2)).not.toBe(textOf(1));
    expect(await sha256(await foundIn(1))).toBe(expected.found);
  });
  it.each([20, 60, 2000])('of %i articles gives everything its own name, made of listed words', (articles) => {
    const { entities } = makeUniverse(3, { articles, facts: 8 });
    expect(entities).toHaveLength(articles);
    expect(new Set(entities.map(({ name }) => name.toLowerCase())).size).toBe(articles);
    const words = new Set(nameWords(articles));
    for (const { name } of entities) for (const word of name.split(' ')) expect(words, name).toContain(word);
  });
  it('has no more facts than requested, of the right kinds', () => {
    const { entities, facts } = makeUniverse(4, { articles: 300, facts: 3 });
    for (const [index, told] of facts.entries()) {
      expect(new Set(told.map(({ relation }) => relation.id)).size).toBeLessThanOrEqual(3);
      for (const { relation, object } of told) {
        expect(relation.subjects).toContain(entities[index].kind);
        if (typeof object === 'number') expect(entities[object].kind).toBe(relation.object);
      }
    }
  });
  it('has capitals in their regions, symmetric marriages, and works by their creators', () => {
    const { facts } = makeUniverse(5, { articles: 300, facts: 12 });
    const of = (index: number, id: string) =>
      facts[index].filter(({ relation }) => relation.id === id).map(({ object }) => object as number);
    let checked = 0;
    for (const index of facts.keys()) {
      for (const capital of of(index, 'capital')) checked += Number(of(capital, 'region').includes(index)) - 1;
      for (const partner of of(index, 'spouse')) expect(of(partner, 'spouse')).toEqual([index]);
      for (const work of of(index, 'works')) expect(of(work, 'creator')).toEqual([index]);
    }
    expect(checked).toBe(0);
  });
  it('draws names at random, never twice', () => {
    const namer = new Namer(new Random(1), 20);
    namer.prepare('region', 20);
    const names = Array.from({ length: 20 }, () => namer.name('region').name);
    expect(new Set(names).size).toBe(20);
  });
});

describe('a question', () => {
  const universe = makeUniverse(6, { articles: 200, facts: 8 });
  const plan = (hops: number, wording: Wording = 'train') => ({
    hops: [hops],
    wording,
    distractors: 1,
  });

  it.each([1, 2, 3, 4])('of %i hops needs as many articles: none before the last contains an answer', (hops) => {
    for (let k = 0; k < 50; k++) {
      const { golds, evidence, text, chain } = makeQuestion(universe, plan(hops), k);
      expect(evidence).toHaveLength(hops);
      expect(golds).toEqual(solve(universe, chain));
      expect(golds.length).toBeGreaterThan(0);
      const earlier = universe.entities.filter(({ name }) => evidence.slice(0, -1).includes(name));
      for (const gold of golds) {
        expect(text).not.toContain(gold);
        for (const { index } of earlier) expect(writeArticle(universe, index, 1).text).not.toContain(gold);
      }
    }
  });
  it('has another wording if it is held out', () => {
    for (const part of ['questions', 'phrases'] as const) {
      const shown = new Set(relations.flatMap((each) => [...each[part].train, ...each[part].more]));
      for (const each of relations) for (const wording of each[part].test) expect(shown).not.toContain(wording);
    }
  });
  it('has many wordings if asked, each once, without a word that the others do not have', () => {
    const wordsOf = (texts: readonly string[]) => new Set(texts.join(' ').replaceAll('{s}', ' ').match(/\w+/g)!);
    const known = wordsOf(
      relations.flatMap(({ sentences, questions, phrases }) => [
        ...sentences,
        ...questions.train,
        ...questions.test,
        ...phrases.train,
        ...phrases.test,
      ]),
    );
    for (const { id, questions, phrases } of relations) {
      for (const { train, more } of [questions, phrases]) {
        expect(new Set([...train, ...more]).size, id).toBe(train.length + more.length);
        expect(more.length > 0, id).toBe(train.length > 0);
        if (more.length) for (const word of wordsOf(more)) expect(known).toContain(word);
      }
    }
    const texts = (wording: 'train' | 'many') =>
      new Set(Array.from({ length: 300 }, (_, k) => makeQuestion(universe, plan(2, wording), k).text));
    expect(texts('many').size).toBeGreaterThan(texts('train').size);
  });
  it('has derived wordings that are neither written nor held out, without a new word', () => {
    const texts = ({ sentences, questions, phrases }: Relation) => [
      ...sentences,
      ...Object.values(questions).flat(),
      ...Object.values(phrases).flat(),
    ];
    const wordsOf = (text: string) => text.toLowerCase().match(/\w+/g)!;
    const known = new Set(relations.flatMap(texts).flatMap(wordsOf));
    const written = new Set(relations.flatMap(texts));
    for (const relation of relations)
      for (const part of ['questions', 'phrases'] as const)
        for (const text of derivedWordings(relation, part)) {
          expect(written, text).not.toContain(text);
          expect(text.split('{s}'), text).toHaveLength(2);
          expect(text, text).not.toMatch(/\{(?!s\})/);
          for (const phrase of relation.phrases.test) expect(text, text).not.toContain(phrase);
          for (const word of wordsOf(text)) expect(known, text).toContain(word);
        }
    expect(derivedWordings(relationOf('capital'), 'phrases')).toEqual([
      "{s}'s capital",
      'the town that {s} is ruled from',
    ]);
    expect(derivedWordings(relationOf('population'), 'questions')).toEqual(['{s} has how many inhabitants?']);
    expect(derivedWordings(relationOf('founder'), 'questions')).toContain('Name the person that founded {s}.');
  });
  it('uses only words that training shows if it is held out', () => {
    const wordsOf = (texts: readonly string[]) => texts.join(' ').replaceAll('{s}', ' ').match(/\w+/g)!;
    const shown = new Set(wordsOf(relations.flatMap(({ questions }) => questions.train)));
    for (const word of wordsOf(relations.flatMap(({ questions }) => questions.test))) expect(shown).toContain(word);
  });
  it('may have several answers', () => {
    const several = Array.from({ length: 400 }, (_, k) => makeQuestion(universe, plan(1), k)).filter(
      ({ golds }) => golds.length > 1,
    );
    expect(several.length).toBeGreaterThan(0);
  });
});

describe('the reader', () => {
  it('understands a question from the inside out', () => {
    expect(readQuestion('Who founded the town where the mayor of Velaria was born?')).toEqual([
      { start: 'Velaria', steps: [['mayor'], ['birthplace'], ['founder']] },
    ]);
  });
  it('reads a fact, and not the text beside it', () => {
    const text =
      'Mira Tolven was born in the year 1204. She is sometimes confused with Velaria. She comes from Oruport.';
    expect(lookUp({ title: 'Mira Tolven', text }, ['birthplace'])).toBe('Oruport');
    expect(lookUp({ title: 'Mira Tolven', text }, ['birth year'])).toBe('1204');
    expect(lookUp({ title: 'Mira Tolven', text }, ['teacher'])).toBeNull();
  });
  it('states before each step the sentence it comes from and what is still wanted', async () => {
    const articles = [
      { id: '0', title: 'Velaria', text: 'Velaria is a town. Its mayor is Mira Tolven.', score: 1 },
      { id: '1', title: 'Mira Tolven', text: 'Mira Tolven is a tailor. She comes from Oruport.', score: 1 },
      { id: '2', title: 'Oruport', text: 'Oruport was founded by Bo Hald.', score: 1 },
    ];
    const question = 'Who founded the town where the mayor of Velaria was born?';
    const found = new Map(articles.map((article) => [article.title, article]));
    const retriever = { retrieve: async ([query]: readonly string[]) => [[found.get(query)!]], close: async () => {} };
    const thoughts = [
      'Velaria: mayor is, was born in, was founded by',
      'Its mayor is Mira Tolven. Mira Tolven: was born in, was founded by',
      'She comes from Oruport. Oruport: was founded by',
      'Oruport was founded by Bo Hald.',
    ];
    for (let turn = 0; turn < thoughts.length; turn++) {
      const steps = await remainingSteps({ question, shown: articles.slice(0, turn), k: 1, retriever });
      expect(steps?.map((step) => step.thought)).toEqual(thoughts.slice(turn));
    }
  });
  it.each([1, 2, 3, 4])(`answers ${questionsEach} questions of %i hops from search results`, async (hops) => {
    const each = 40;
    for (let seed = 0; seed < questionsEach / each; seed++) {
      const universe = makeUniverse(1000 * hops + seed, sizes);
      const articles = universe.entities.map(({ index }) => writeArticle(universe, index, 1));
      const retriever = await TextIndex.inMemory(
        articles.map(({ title, text }, id) => ({ id: String(id), title, text })),
      );
      for (let k = 0; k < each; k++) {
        const wording = (['train', 'many', 'most', 'test'] as const)[k % 4];
        const question = makeQuestion(universe, { hops: [hops], wording, distractors: 1 }, k);
        const steps = await remainingSteps({ question: question.text, shown: [], k: 1, retriever });
        const last = steps?.at(-1);
        expect(last?.kind === 'answer' && exactMatch(last.text, question.golds), JSON.stringify(question)).toBe(true);
        expect(steps).toHaveLength(hops + 1);
      }
      await retriever.close();
    }
  });
});
