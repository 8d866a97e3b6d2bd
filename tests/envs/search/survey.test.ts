// The survey: tasks, grammar, the oracle against the truth, the score's laws, the judge of a person's own corpus.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Feedback, Task, WorldOptions } from '../../../src/envs/env.ts';
import { Random } from '../../../src/envs/random.ts';
import { criterionKinds, readQuestion, writeQuestion } from '../../../src/worlds/search/survey/criteria.ts';
import { UniverseLibrary } from '../../../src/worlds/search/survey/library.ts';
import { type Filing, scoreOf, type Truth } from '../../../src/worlds/search/survey/score.ts';
import type { SurveyView } from '../../../src/worlds/search/survey/view-data.ts';
import { surveyTexts } from '../../../src/worlds/search/survey/vocabulary.ts';
import { firstTestUniverse, SurveyWorld } from '../../../src/worlds/search/survey/world.ts';

let world: SurveyWorld;
beforeAll(async () => {
  world = await SurveyWorld.open();
});
afterAll(() => world.close());

const name = 'search-survey';
const taskOf = (id: number, options: WorldOptions = {}): Task => ({ world: name, id, options, strata: {} });
const start = async (id: number, options: WorldOptions = {}) => (await world.reset([0], [taskOf(id, options)]))[0];
const say = async (action: string) => (await world.step([0], [action]))[0];
const planOf = async () => (await world.oracle([0]))[0]!;
const view = async () => (await world.view(0)) as SurveyView;

async function play(actions: readonly string[]): Promise<Feedback[]> {
  const answers = [];
  for (const action of actions) answers.push(await say(action));
  return answers;
}

describe('tasks', () => {
  it('number universes and questions; half of the held-out questions join criteria as never in training', async () => {
    const options = { universes: 2, testUniverses: 1, questions: 8, criteria: [2, 4] };
    const train = await world.tasks(options, 'train');
    const test = await world.tasks(options, 'test');
    expect(train.map(({ id }) => id)).toEqual(Array.from({ length: 16 }, (_, k) => k));
    expect(test[0].id).toBe(firstTestUniverse * 8);
    expect(test.map(({ strata }) => `${strata.criteria} ${strata.joined}`).slice(0, 4)).toEqual([
      '2 as in training',
      '4 as in training',
      '2 as never in training',
      '4 as never in training',
    ]);
  });

  it('hold out the creator with the keeper: no training question joins them without a setting', async () => {
    const asked = { train: new Set<string>(), test: new Set<string>() };
    for (const split of ['train', 'test'] as const)
      for (let seed = 0; seed < 6; seed++) {
        const heldOutCriteria = split === 'test' ? seed % 2 : null;
        const plan = { articles: 40, distractors: 0, criteria: [2, 3, 4], wording: split, heldOutCriteria };
        const library = new UniverseLibrary(seed, plan);
        for (let k = 0; k < 12; k++)
          asked[split].add(
            readQuestion(library.survey(k).text)!
              .map(({ kind }) => kind.id)
              .sort()
              .join(' '),
          );
      }
    const isNew = (ids: string) => /creator/.test(ids) && /keeper/.test(ids) && !/setting/.test(ids);
    expect([...asked.train].filter(isNew)).toEqual([]);
    expect([...asked.test].filter(isNew).length).toBeGreaterThan(2);
  });

  it('refuse options out of range by path and bound', async () => {
    await expect(world.tasks({ articles: 19 }, 'train')).rejects.toThrow(/options\.articles: must be at least 20/);
    await expect(world.tasks({ criteria: [5] }, 'train')).rejects.toThrow(/options\.criteria\.0: must be at most 4/);
  });
});

describe('questions', () => {
  it('are read back as they were written, in every wording', () => {
    const objects: { [id: string]: string } = { before: '1500', after: '1200', occupation: 'painter' };
    const random = new Random(7);
    for (let round = 0; round < 300; round++) {
      const criteria = random
        .shuffle([...criterionKinds])
        .slice(0, 2 + (round % 3))
        .map((kind) => ({ kind, object: objects[kind.id] ?? random.pick(['Velora', 'Tolson Museum', 'New Oruford']) }));
      const text = writeQuestion(criteria, round % 2 ? 'test' : 'train', (list) => random.pick(list));
      expect(readQuestion(text), text).toEqual(criteria);
    }
    expect(readQuestion('Which works are blue?')).toBeNull();
  });

  it('have only words of the vocabulary, held-out ones too', async () => {
    const words = new Set(surveyTexts().flatMap((text) => text.split(/[^A-Za-z]+/)));
    for (let number = 0; number < 30; number++) {
      const { observation } = await start(firstTestUniverse * 10 + number, { criteria: [2, 3, 4], articles: 40 });
      const unknown = observation.split(/[^A-Za-z]+/).filter((word) => !words.has(word));
      expect(unknown).toEqual([]);
    }
  });
});

describe('the oracle', () => {
  it('solves by reading, with the evidence of every document, and from odd states too', async () => {
    const cases: [number, WorldOptions][] = [
      [0, { criteria: [2, 3, 4] }],
      [firstTestUniverse * 10, { criteria: [2, 3, 4], articles: 100, documents: 3 }],
      [50, { criteria: [3], evidence: true, distractors: 4, actions: 'numbers' }],
    ];
    for (const [first, options] of cases)
      for (let k = 0; k < 12; k++) {
        await start(first + k, options);
        if (k % 3 === 1) await play(['search The', 'open 2', 'yes 1', 'no 2', 'more']);
        const answers = await play(await planOf());
        expect(answers.at(-1)).toMatchObject({ reward: 1, done: true });
        const { score } = await view();
        expect(score).toMatchObject({ f1: 1, shown: score!.filed, right: score!.filed });
        expect(answers.every(({ valid }) => valid)).toBe(true);
      }
  });
});

describe('an episode', () => {
  it('rewards F1 so far, so that a work filed wrongly lowers it', async () => {
    await start(3, { criteria: [2] });
    const plan = await planOf();
    const filings = plan.filter((action) => /^(yes|partly) /.test(action));
    let last = 0;
    for (const answer of (await play(plan)).filter((_, k) => filings.includes(plan[k]))) {
      expect(answer.reward).toBeGreaterThan(last);
      last = answer.reward;
    }
    expect(last).toBe(1);
    await start(3, { criteria: [2] });
    const wrong = plan.map((action) => action.replace(/^(yes|partly) /, 'no '));
    expect((await play(wrong)).at(-1)!.reward).toBe(0);
  });

  it('names what it refuses and changes nothing', async () => {
    const first = await start(1);
    for (const action of ['', 'dance', 'more', 'open', 'open Nothing At All', 'yes 1', 'search', 'file yes 1']) {
      const answer = await say(action);
      expect(answer, action).toMatchObject({ valid: false, reward: 0, done: false, validActions: null });
      expect(answer.observation).not.toBe('');
    }
    expect((await view()).rows).toEqual([]);
    expect(first.validActions).toContain('done');
    expect(await say('done')).toMatchObject({ done: true, reward: 0 });
    expect(await say('done')).toMatchObject({ done: true, valid: false });
  });

  it('understands a sentence by its number and by its words', async () => {
    await start(2);
    await play((await planOf()).slice(0, 2));
    const { open } = await view();
    expect(await say('no 2')).toMatchObject({ valid: true, observation: 'Filed under no.' });
    expect(await say(`partly ${open!.sentences[0]}`)).toMatchObject({ valid: true });
    expect((await view()).rows[0]).toMatchObject({ grade: 'partly', evidence: open!.sentences[0], truth: null });
    expect(await say('partly 99')).toMatchObject({ valid: false });
  });
});

describe('the score', () => {
  const truths = (list: { [id: string]: Truth['grade'] }) =>
    new Map(Object.entries(list).map(([id, grade]) => [id, { grade, shows: { met: [0], missed: [1] } } as Truth]));
  const filings = (list: { [id: string]: [Filing['grade'], number] }) =>
    new Map(Object.entries(list).map(([id, [grade, sentence]]) => [id, { grade, sentence }]));

  it('counts partly half on both sides, and no nowhere', () => {
    const truth = truths({ a: 'yes', b: 'yes', c: 'partly', d: 'no' });
    // Earned 1 + 0.5, placed 1.5 + 0.5 (a wrong place), wanted 2.5.
    const score = scoreOf(filings({ a: ['yes', 0], c: ['partly', 0], d: ['partly', 1] }), truth);
    expect(score).toEqual({ f1: 3 / 4.5, precision: 1.5 / 2, recall: 1.5 / 2.5, right: 2, shown: 1, filed: 3 });
    expect(scoreOf(filings({ a: ['yes', 0], c: ['partly', 0] }), truth, true).f1).toBe(2 / 4);
    expect(scoreOf(new Map(), truth).f1).toBe(0);
    expect(scoreOf(filings({ d: ['no', 1] }), truths({ d: 'no' })).f1).toBe(0);
  });
});
