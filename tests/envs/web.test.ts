import { describe, expect, it } from 'vitest';
import { type Task, validActionsAfter, type WorldOptions } from '../../src/envs/env.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import { repr, strip } from '../../src/python/text.ts';
import { int } from '../../src/python/values.ts';
import { ActionError, parseAction } from '../../src/webarena/actions.ts';
import { unescapeHtml } from '../../src/webarena/evaluators/entities.ts';
import { type Evaluation, evaluate } from '../../src/webarena/evaluators/evaluate.ts';
import { postUrl } from '../../src/webarena/evaluators/helpers.ts';
import type { JudgedPage } from '../../src/webarena/evaluators/page.ts';
import { mustInclude } from '../../src/webarena/evaluators/strings.ts';
import { matchesUrl } from '../../src/webarena/evaluators/urls.ts';
import { fieldValue } from '../../src/worlds/web/browser/accessibility.ts';
import { judgedBrowser } from '../../src/worlds/web/browser/judged.ts';
import { parseWithLibrary } from '../../src/worlds/web/browser/node-page.ts';
import { Browser } from '../../src/worlds/web/browser/session.ts';
import { web } from '../../src/worlds/web/index.ts';
import { netOf, sites } from '../../src/worlds/web/sites/net.ts';
import { idOf, instanceById, templates } from '../../src/worlds/web/tasks/index.ts';
import { spansOf } from '../../src/worlds/web/valid-actions.ts';
import { Web } from '../../src/worlds/web/world.ts';
import { fuzzActions, fuzzParsing } from '../../tools/fuzz/play-web.ts';
import { readRecords, replayRecords } from '../../tools/replay/web.ts';
import { walkPlan } from '../../tools/replay/web-plan.ts';
import { goldenFolder, hasGolden } from './helpers.ts';

const taskOf = (id: number, options: WorldOptions = {}): Task => ({ world: 'web', id, options, strata: {} });

describe('WebArena, recorded', () => {
  it.each(['observation', 'observation-synthetic', 'observation-suites', 'actions', 'evaluators'])(
    'agrees completely with %s',
    async (name) => {
      const file = `${goldenFolder}/web/${name}.jsonl.gz`;
      if (!hasGolden(`web/${name}.jsonl.gz`))
        return console.log(`skipped: there is no ${file} (TABGYM_GOLDEN names the folder)`);
      const { header, records } = readRecords(file);
      const { agree, total, differences } = await replayRecords(header, records);
      expect(differences).toEqual([]);
      expect(total).toBeGreaterThan(20);
      expect(agree).toBe(total);
    },
  );
});

describe('texts as in CPython', () => {
  // As printed by CPython 3.11.
  it.each([
    ["it's", `"it's"`],
    [`both ' and "`, `'both \\' and "'`],
    ['a\tb\u00a0c\u200b\u{e0041}', `'a\\tb\\xa0c\\u200b\\U000e0041'`],
    ['日本 é', `'日本 é'`],
    ['\ud83d', `'\\ud83d'`],
  ])('quotes %j', (text, expected) => expect(repr(text)).toBe(expected));
  it('strips Python’s whitespace, to which U+FEFF does not belong', () => {
    expect(strip('\x1c\u2028 a \x85')).toBe('a');
    expect(strip('\ufeffa')).toBe('\ufeffa');
  });
  it('decodes references', () => {
    expect(unescapeHtml('&notit; &#128; &#x110000; &#1; &amp;lt;')).toBe('¬it; € \ufffd  &lt;');
  });
});

describe('actions', () => {
  it('search their pattern in the whole string', () => {
    expect(parseAction('click [x] click [8]')).toEqual({ kind: 'click', element: '8' });
    expect(parseAction('type [5] [a] [2]')).toEqual({ kind: 'type', element: '5', text: 'a] [2\n' });
    expect(parseAction('tab_focus [１]')).toEqual({ kind: 'tab_focus', page: '1' });
  });
  it.each([
    ['Click [1]', 'Invalid action Click [1]'],
    ['type [5] []', 'Invalid type action type [5] [] [1]'],
    ['scroll [direction=down]', 'Invalid scroll action scroll [direction=down]'],
    ['type [5] [a—b]', "'—'"],
    ['', 'list index out of range'],
  ])('refuse %j like the original', (text, message) => {
    expect(() => parseAction(text)).toThrow(ActionError);
    expect(() => parseAction(text)).toThrow(message);
  });
});

describe('judges', () => {
  it('count a single character as a word', () => {
    expect(mustInclude('0', '$0.00', true)).toBe(false);
    expect(mustInclude('0', 'the total is 0.', true)).toBe(true);
    expect(mustInclude('0', '$0.00', false)).toBe(true);
  });
  it('look for an address inside another', () => {
    expect(matchesUrl('http://a.test/x', 'http://a.test/xy/')).toBe(true);
    expect(matchesUrl('http://a.test/x?q=1', 'http://a.test/x?q=2')).toBe(false);
    expect(matchesUrl('http://b.test/ |OR| http://a.test/x', 'http://a.test/x?q=2')).toBe(true);
  });
});

/** Results of the original's judges on these inputs (CPython 3.11). */
describe('the original’s odd judges', () => {
  const judged = async (evaluation: object, answer: string, url = 'http://a.test/', replies: string[] = []) => {
    const questions: string[] = [];
    const page = { url: () => url, content: async () => '' } as unknown as JudgedPage;
    const judge = async (message: string) => {
      questions.push(message);
      return replies.shift() ?? '';
    };
    const context = { page, judge, sites: {}, shopAdmin: { username: '', password: '' } };
    const score = await evaluate({ intent: 'Find it.', evaluation: evaluation as Evaluation, answer }, context).catch(
      () => 'error',
    );
    return [score, questions.length];
  };
  const texts = (reference_answers: unknown, string_note?: string) => ({
    eval_types: ['string_match'],
    reference_answers,
    string_note,
  });
  it.each([
    // The verdict on an impossible task replaces the results of the rules before it.
    [{ must_include: ['zz'], fuzzy_match: 'N/A' }, 'N/A', ['same'], 1, 1],
    [{ must_include: ['zz'], fuzzy_match: 'N/A' }, 'it is gone', ['different'], 0, 1],
    [{ fuzzy_match: 'N/A', must_include: ['zz'] }, 'N/A', [], 0, 0],
    [{ must_include: ['n/a'], fuzzy_match: 'N/A' }, 'N/A', [], 1, 0],
    [{ must_include: ['zz'], fuzzy_match: ['gone'] }, 'N/A', ['correct'], 0, 1],
  ])('rules %j on the answer %j', async (references, answer, replies, score, calls) => {
    expect(await judged(texts(references, 'it is gone'), answer, undefined, [...replies])).toEqual([score, calls]);
  });
  it('a kind without its reference is an error', async () => {
    expect(await judged(texts(null), '')).toEqual(['error', 0]);
    expect(await judged({ eval_types: ['url_match'], reference_url: null }, '')).toEqual(['error', 0]);
    expect(await judged({ eval_types: ['program_html'], program_html: null }, '')).toEqual(['error', 0]);
    expect(await judged(texts({ fuzzy_match: 'N/A' }), 'it is gone')).toEqual(['error', 0]);
  });
  it.each([
    ['http://[::1]/a', 'http://[::1]/a/b', 1],
    ['http://[x]/a', 'http://[x]/a', 'error'],
    ['http://x[::1]/a', 'http://a.test/', 'error'],
    ['http://[1.2.3.4]/', 'http://a.test/', 'error'],
    ['http://\u2100.test/', 'http://a.test/', 'error'],
    ['foo://a.test/b;c', 'http://a.test/b', 0],
    ['http://a.test/b;c', 'http://a.test/b', 1],
    ['\x01 http://a.test/b', 'http://a.test/b', 1],
    ['1a://a.test/b', 'http://a.test/b', 0],
  ])('the address %j in %j', async (reference_url, url, score) => {
    expect(await judged({ eval_types: ['url_match'], reference_url }, '', url)).toEqual([score, 0]);
  });
  it('whole numbers are those that int() reads', () => {
    const read = [' 7 ', '000000012', '1_0', '-0', '\u0663', 7.9, -7.9, true, 'x', '', '1__0', '7.0', null];
    expect(read.map(int)).toEqual(['7', '12', '10', '0', '3', '7', '-7', '1', null, null, null, null, null]);
  });
  it('a post is found by its address', () => {
    expect(postUrl('http://r.test/f/books/12/title?x=1#c')).toBe('http://r.test/f/books/12/');
    expect(postUrl('http://r.test/f/books/12;p')).toBe('http://r.test/f/books/12/');
    expect(postUrl('http://r.test/f/books')).toBe('http://r.test/f/books');
  });
});

describe('sites', () => {
  it('are the same for the same seed, and do not change their input', () => {
    for (const site of sites) {
      const data = site.open(7);
      expect(JSON.stringify(site.open(7))).toBe(JSON.stringify(data));
      const state = site.start(data);
      const before = JSON.stringify([data, state]);
      for (const path of ['/', '/orders', '/f/books', '/nothing/here', '/search'])
        for (const method of ['GET', 'POST'] as const)
          site.handle(data, state, { method, path, query: { q: 'a' }, form: { text: 'x', vote: '1' } });
      expect(JSON.stringify([data, state])).toBe(before);
    }
  });
  it('have fields in which Delete removes a selection, and nothing at the end of the text', () => {
    const browser = Browser.open({ net: netOf(1), parse: parseWithLibrary, screenLines: 0 }, [
      'http://forum.test/search',
    ]);
    browser.click(browser.page().querySelector('input')!);
    const value = () => {
      const field = browser.page().querySelector('input')!;
      return fieldValue(field, browser.control(field));
    };
    browser.type('ab');
    browser.key('Delete', false);
    expect(value()).toBe('ab');
    browser.key('a', true);
    browser.key('Delete', false);
    expect(value()).toBe('');
    browser.type('cd');
    browser.key('Backspace', false);
    expect(value()).toBe('c');
  });
  it('escape what is sent to them', () => {
    const hostile = '<script>alert(1)</script>"\'&';
    const browser = Browser.open({ net: netOf(1), parse: parseWithLibrary, screenLines: 0 }, ['http://forum.test/']);
    browser.visit({ method: 'POST', url: 'http://forum.test/bio', form: { bio: hostile } });
    expect(browser.page().querySelector('script')).toBeNull();
    expect(browser.page().querySelector('.bio')!.textContent).toBe(hostile);
  });
});

const solve = async (world: Web, task: Task) => {
  const [start] = await world.reset([0], [task]);
  const [plan] = await world.oracle([0]);
  const answers = [start];
  for (const action of plan ?? []) answers.push(...(await world.step([0], [action])));
  return { plan, answers };
};

describe('tasks', () => {
  it('are at least 60 templates, some of them impossible, some held out', () => {
    expect(templates.length).toBeGreaterThanOrEqual(60);
    expect(new Set(templates.map(({ name }) => name)).size).toBe(templates.length);
    expect(templates.filter(({ feasible }) => !feasible).length).toBeGreaterThanOrEqual(5);
    expect(templates.filter(({ heldOut }) => heldOut).length).toBeGreaterThanOrEqual(8);
  });
  it('are not shared between training and test', async () => {
    const world = await Web.open();
    const [train, test] = [
      await world.tasks({ instances: 800 }, 'train'),
      await world.tasks({ testInstances: 200 }, 'test'),
    ];
    const trained = new Set(train.map(({ id }) => id));
    expect(test.filter(({ id }) => trained.has(id))).toEqual([]);
    const templatesTrained = new Set(train.map(({ strata }) => strata.template));
    expect(test.some(({ strata }) => !templatesTrained.has(strata.template))).toBe(true);
  });
  it('are solved by the oracle through the page, every template', { tags: 'slow' }, async () => {
    const world = await Web.open();
    for (const [index, template] of templates.entries()) {
      const { plan, answers } = await solve(world, taskOf(idOf(index, 805), { screenLines: 30 }));
      expect([template.name, plan === null, answers.at(-1)!.reward]).toEqual([template.name, false, 1]);
      expect(answers.every(({ valid }) => valid)).toBe(true);
    }
  });
  it('are not solved before the first action', async () => {
    for (const [index, template] of templates.entries()) {
      const { intent, evaluation, start, state, netSeed } = instanceById(idOf(index, 3))!;
      const browser = Browser.open(
        { net: netOf(netSeed), parse: parseWithLibrary, screenLines: 0 },
        start,
        state ?? {},
      );
      expect([template.name, await evaluate({ intent, evaluation, answer: '' }, judgedBrowser(browser))]).toEqual([
        template.name,
        0,
      ]);
    }
  });
  it('are solved by bare requests on the state alone, every template', async () => {
    for (const [index, template] of templates.entries()) {
      const instance = instanceById(idOf(index, 17))!;
      const { state, url, answer } = walkPlan(instance);
      const browser = Browser.open(
        { net: netOf(instance.netSeed), parse: parseWithLibrary, screenLines: 0 },
        [url],
        state,
      );
      expect([template.name, await evaluate({ ...instance, answer }, judgedBrowser(browser))]).toEqual([
        template.name,
        1,
      ]);
    }
  });
  it('have oracles that find their way back', async () => {
    const world = await Web.open();
    for (const name of ['shop-order', 'forum-comment', 'tracker-close-issue', 'cross-order-and-complete']) {
      const task = taskOf(
        idOf(
          templates.findIndex((one) => one.name === name),
          5,
        ),
      );
      await world.reset([0], [task]);
      const [plan] = await world.oracle([0]);
      await world.step([0], [plan![0]]);
      for (const astray of ['goto [http://wiki.test/]', 'go_back', 'go_back']) await world.step([0], [astray]);
      const [rest] = await world.oracle([0]);
      let last = 0;
      for (const action of rest ?? []) last = (await world.step([0], [action]))[0].reward;
      expect([name, last]).toEqual([name, 1]);
    }
  });
});

describe('the world', () => {
  it('lists valid actions that contain the oracle’s, and executes all of them', { tags: 'slow' }, async () => {
    const world = await Web.open();
    const unlisted: string[] = [];
    for (const [index, { name }] of templates.entries()) {
      await world.reset([0], [taskOf(idOf(index, 1))]);
      if (!(await world.oracleIsListed([0]))[0]) unlisted.push(name);
    }
    // The answer of this template appeared on a page that is no longer open: its tab went on to another page.
    expect(unlisted).toEqual(['cross-distance-between-birthplaces']);
  });
  it('treats no text differently: every span of the objective is offered', () => {
    expect(spansOf('Comment "Well said" on it.')).toEqual(
      expect.arrayContaining(['Comment', 'Well said', 'Well', 'said', 'on it', 'Comment "Well said" on it']),
    );
  });
  it('offers to stop where no wanted action applies, and never an empty list before the end', async () => {
    const world = await Web.open();
    const task = { ...taskOf(0), options: { ...taskOf(0).options, verbs: ['history'] } };
    const [start] = await world.reset([0], [task]);
    expect(start.validActions).toEqual(['stop []']);
    const [ended] = await world.step([0], ['stop []']);
    expect(ended).toMatchObject({ done: true, valid: true });
  });
  it('gives the same answers to the same actions', async () => {
    const play = async () => {
      const world = await Web.open();
      const [start] = await world.reset([3], [taskOf(idOf(9, 2))]);
      let actions = validActionsAfter(null, start)!;
      const observations = [start.observation];
      for (let turn = 0; turn < 6; turn++) {
        const [feedback] = await world.step([3], [randomAction(actions, 5, 0, turn)]);
        observations.push(feedback.observation);
        if (feedback.done) break;
        actions = validActionsAfter(actions, feedback)!;
      }
      return observations;
    };
    expect(await play()).toEqual(await play());
  });
  it('answers unreadable actions with the original’s texts, and keeps the page', async () => {
    const world = await Web.open();
    const [start] = await world.reset([0], [taskOf(0)]);
    const [refused] = await world.step([0], ['dance']);
    expect(refused).toMatchObject({ observation: 'Invalid action dance', valid: false, done: false });
    const [missing] = await world.step([0], ['click [9999]']);
    expect(missing.observation).toContain('PREVIOUS ACTION: Attempt to perfom "click" on element "[9999]"');
    expect(missing.observation.split('PREVIOUS')[0]).toBe(start.observation.split('PREVIOUS')[0]);
  });
  it('ends like the original’s runner if so set', async () => {
    const world = await Web.open();
    await world.reset([0], [taskOf(0, { upstream: true })]);
    const ends = [];
    for (let k = 0; k < 3; k++) ends.push((await world.step([0], ['scroll [down]']))[0].done);
    expect(ends).toEqual([false, false, true]);
  });
  it('finds the action in a reply', () => {
    expect(web.reply!('I think. ```click [5]```')).toEqual({ action: 'click [5]' });
    expect(web.reply!('no block').refusal).toBe('Cannot parse action from response no block');
  });
  it('survives random input', async () => {
    expect(fuzzParsing(4000, 1)).toBe(4000);
    const { executed, episodes } = await fuzzActions(await Web.open(), 400, 1);
    expect(executed).toBe(400);
    expect(episodes).toBeGreaterThan(3);
  });
});
