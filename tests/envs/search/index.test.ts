import { describe, expect, it } from 'vitest';
import { matchAny, maxQueryTerms, queryTerms, splitAtTerms } from '../../../src/corpus/retrieval/query.ts';
import { loadSqlite } from '../../../src/corpus/retrieval/sqlite.ts';
import { largeIndex, TextIndex, titleWeight } from '../../../src/corpus/retrieval/text-index.ts';
import { Random } from '../../../src/envs/random.ts';
import { writeArticle } from '../../../src/worlds/search/universe/prose.ts';
import { makeQuestion } from '../../../src/worlds/search/universe/questions.ts';
import { makeUniverse } from '../../../src/worlds/search/universe/universe.ts';
import { rankByBm25 } from './bm25.ts';

function make(size: number) {
  const universe = makeUniverse(11, { articles: size, facts: 8 });
  const articles = universe.entities.map(({ index }) => writeArticle(universe, index, 2));
  const documents = articles.map(({ title, text }, id) => ({ id: String(id), title, text }));
  return { universe, articles, documents };
}

const small = make(largeIndex - 200);
const { documents } = small;

/** Names, questions, and random combinations of words, including frequent ones. */
function queries(count: number, { universe, articles }: ReturnType<typeof make>): string[] {
  const random = new Random(12);
  const words = articles.flatMap(({ title, text }) => `${title} ${text}`.split(/\W+/));
  return Array.from({ length: count }, (_, k) => {
    if (k % 3 === 0) return random.pick(articles).title;
    if (k % 3 === 1) return makeQuestion(universe, { hops: [1, 2], wording: 'train', distractors: 2 }, k).text;
    return Array.from({ length: random.between(1, 6) }, () => random.pick(words)).join(' ');
  });
}

describe('the index', () => {
  it.each([
    ['small', largeIndex - 200, false],
    ['large, in which words that half of the documents hold do not count beside others', largeIndex + 200, true],
  ])('ranks 1,000 queries by the formula: %s', { tags: 'slow' }, async (_, size, leavesOut) => {
    const made = make(size);
    const { documents } = made;
    const index = await TextIndex.inMemory(documents);
    const rank = rankByBm25(documents, titleWeight, leavesOut);
    const wrong: string[] = [];
    for (const query of queries(1000, made)) {
      const expected = rank(query);
      const found = index.find(query, 20);
      const scoreOf = new Map(expected.map(({ index: at, score }) => [String(at), score]));
      // The same terms summed in another order differ in the last bits, so the order of documents this close is free.
      const isClose = (a: number, b: number) => Math.abs(a - b) < 1e-9;
      const agrees = found.every(
        ({ id, score }, k) => isClose(score, expected[k].score) && isClose(scoreOf.get(id) ?? Number.NaN, score),
      );
      const distinct = new Set(found.map(({ id }) => id)).size;
      if (!agrees || distinct !== Math.min(20, expected.length)) wrong.push(query);
    }
    expect(wrong).toEqual([]);
    await index.close();
  });
  it('handles accents, case and scripts', async () => {
    const index = await TextIndex.inMemory([
      { id: 'a', title: 'Café Miró', text: 'the oldest' },
      { id: 'b', title: '東の塔', text: 'a tower 高さ' },
    ]);
    expect(index.find('CAFE miro', 3).map(({ id }) => id)).toEqual(['a']);
    expect(index.find('café\u0301', 3).map(({ id }) => id)).toEqual(['a']);
    expect(index.find('東の塔', 3).map(({ id }) => id)).toEqual(['b']);
    expect(index.find('zebra', 3)).toEqual([]);
    await index.close();
  });
  it('ignores words of most documents, only if it is large and the query has other words', async () => {
    const row = (id: number) => ({ id: String(id), title: `Number ${id}`, text: id % 4 ? 'the common one' : 'rare' });
    const index = await TextIndex.inMemory(Array.from({ length: largeIndex }, (_, id) => row(id)));
    expect(index.find('the rare', 2000)).toHaveLength(largeIndex / 4);
    expect(index.find('the common', 2000)).toHaveLength((largeIndex / 4) * 3);
    expect(index.find('the', 2000)).toHaveLength((largeIndex / 4) * 3);
    // Frequent words are counted again after documents were added.
    index.add(Array.from({ length: largeIndex }, (_, id) => ({ ...row(4 * id), id: `more ${id}` })));
    expect(index.find('the rare', 4000)).toHaveLength((largeIndex / 4) * 3);
    expect(index.find('the number', 4000)).toHaveLength((largeIndex / 4) * 3);
    await index.close();
  });
  it('takes all documents of a batch or none', async () => {
    const index = await TextIndex.inMemory([]);
    const broken = function* () {
      yield documents[0];
      throw new Error('torn');
    };
    expect(() => index.add(broken())).toThrow('torn');
    expect(index.find(documents[0].title, 3)).toEqual([]);
    await index.close();
  });
  it('uses the build with FTS5', async () => {
    const { capi } = await loadSqlite();
    expect(capi.sqlite3_compileoption_used('ENABLE_FTS5')).toBeTruthy();
  });
});

describe('a query', () => {
  it.each([
    ['Velora OR "x', '"velora" OR "or" OR "x"'],
    ['title: a* NEAR(b, 2) ^c -d', '"title" OR "a" OR "near" OR "b" OR "2" OR "c" OR "d"'],
    ['Café cafe CAFÉ', '"cafe"'],
    ['"\0*', null],
    ['\ud800', null],
    ['', null],
  ])('%j becomes %j', (text, expression) => {
    expect(matchAny(queryTerms(text))).toBe(expression ?? '');
  });
  it('is marked where it was found', () => {
    expect(splitAtTerms('Café Miró, by Mirò.', queryTerms('miro cafe'))).toEqual([
      '',
      'Café',
      ' ',
      'Miró',
      ', by ',
      'Mirò',
      '.',
    ]);
    expect(splitAtTerms('nothing', [])).toEqual(['nothing']);
    expect(splitAtTerms('', ['a'])).toEqual(['']);
  });
  it('has a bounded number of words', () => {
    expect(queryTerms(Array.from({ length: 1000 }, (_, k) => `w${k}`).join(' '))).toHaveLength(maxQueryTerms);
  });
});
