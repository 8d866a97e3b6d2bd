import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Feedback, WorldOptions } from '../../src/envs/env.ts';
import { withPageCache } from '../../src/worlds/web/browser/page-memory.ts';
import { templates } from '../../src/worlds/web/tasks/index.ts';
import { Web } from '../../src/worlds/web/world.ts';

let world: Web;
beforeAll(async () => {
  world = await Web.open();
});
afterAll(() => world.close());

const quoted = /^\t*\[\d+\] \w+ (['"])(.*?)\1(?: [a-z]+: \w+)*$/;
const printed = (observation: string) => observation.split('\n').slice(1);
const names = (lines: readonly string[]) =>
  lines.flatMap((line) => quoted.exec(line)?.[2].replaceAll("\\'", "'").trim() || []);

/** Observations along an oracle's way, in both forms. */
async function wayOf(template: string): Promise<{ compact: Feedback; terse: Feedback }[]> {
  const options = (observation: string): WorldOptions => ({
    templates: [template],
    observation,
    screenLines: 0,
    verbs: ['click'],
    judge: 'step',
  });
  const [compact] = await world.tasks(options('compact'), 'train');
  const [terse] = await world.tasks(options('terse'), 'train');
  let feedback = await world.reset([0, 1], [compact, terse]);
  const way = [{ compact: feedback[0], terse: feedback[1] }];
  const [plan] = await world.oracle([0]);
  for (const action of plan ?? []) {
    feedback = await world.step([0, 1], [action, action]);
    way.push({ compact: feedback[0], terse: feedback[1] });
    if (feedback[0].done) break;
  }
  return way;
}

describe('the terse tree', () => {
  it('has a line with its id for each element to act on, and dashes before all others', async () => {
    const [{ terse }] = await wayOf('map-open-town');
    const [objective, ...lines] = terse.observation.split('\n');
    expect(objective).toMatch(/^Show the town \w+\.$/);
    expect(lines.slice(0, 8)).toEqual([
      '- Town Map',
      '3 Map',
      '5 Directions',
      '7 Saved places',
      '10 textbox Search the map',
      '12 button Search',
      '- Town Map',
      '- Towns',
    ]);
  });
  it('has the content of the tree: every name in order, every listed id once, in less than half of the letters', {
    tags: 'slow',
  }, async () => {
    let letters = 0;
    let terseLetters = 0;
    for (const { name, turns } of templates.filter(({ heldOut }) => !heldOut)) {
      if (turns === 'long') continue;
      for (const { compact, terse } of await wayOf(name)) {
        const lines = printed(terse.observation);
        const ids = lines.flatMap((line) => /^\d+/.exec(line)?.[0] ?? []);
        const clickable = (compact.validActions ?? []).map((action) => action.slice('click ['.length, -1));
        if (compact.validActions?.length) expect(ids).toEqual(clickable);
        expect(terse.validActions).toEqual(compact.validActions);
        const shownNames = lines.map((line) => line.replace(/^(?:- |\d+ (?:textbox |button |checkbox |radio )?)/, ''));
        let at = 0;
        for (const each of names(printed(compact.observation))) {
          const found = shownNames.findIndex((line, k) => k >= Math.max(0, at - 1) && line.startsWith(each));
          expect(found, `${name}: ${each}`).toBeGreaterThanOrEqual(0);
          at = found;
        }
        letters += compact.observation.length;
        terseLetters += terse.observation.length;
      }
    }
    expect(terseLetters / letters).toBeLessThan(0.5);
  });
  it('shows the states of a field that are true, and not those that are false', async () => {
    const options = { templates: ['map-open-town'], observation: 'terse', screenLines: 0 };
    const [task] = await world.tasks(options, 'train');
    await world.reset([0], [task]);
    const [{ observation }] = await world.step([0], ['click [10]']);
    expect(printed(observation)).toContain('10 textbox Search the map focused: True');
    expect(observation).not.toMatch(/: false/i);
  });
});

describe('the terse tree with ids last', () => {
  it('has the same lines and the same valid actions, with the id behind name and state', async () => {
    for (const template of ['map-open-town', 'shop-add-several', 'tracker-new-issue']) {
      const [terse, named] = await Promise.all(
        ['terse', 'named'].map(async (observation) => {
          const [task] = await world.tasks({ templates: [template], observation, screenLines: 0 }, 'train');
          const slot = observation === 'terse' ? 0 : 1;
          return (await world.reset([slot], [task]))[0];
        }),
      );
      expect(named.observation.split('\n')).toEqual(
        terse.observation.split('\n').map((line) => line.replace(/^(\d+) (.*)$/, '$2 $1')),
      );
      expect(named.validActions).toEqual(terse.validActions);
    }
  });
});

describe("the oracle's thought", () => {
  const thoughtsOf = async (template: string, options: WorldOptions = {}) => {
    const [task] = await world.tasks(
      { templates: [template], observation: 'named', screenLines: 0, judge: 'step', ...options },
      'train',
    );
    let [feedback] = await world.reset([0], [task]);
    const thoughts: { thought: string; action: string; page: string }[] = [];
    while (!feedback.done) {
      const [advice] = await world.advise([0]);
      thoughts.push({ thought: advice!.thought!, action: advice!.action, page: feedback.observation });
      [feedback] = await world.step([0], [advice!.action]);
    }
    expect(feedback.reward).toBe(1);
    return thoughts;
  };

  it('is the line of the element it acts on', async () => {
    const [search, open] = await thoughtsOf('map-phone');
    expect(search.thought).toBe('textbox Search the map 10');
    expect(search.action).toMatch(/^type \[10\]/);
    expect(open.thought).toMatch(/ 19$/);
    expect(open.page.split('\n')).toContain(open.thought);
    const [{ thought }] = await thoughtsOf('map-open-town', { observation: 'terse' });
    expect(thought).toMatch(/^\d+ [A-Z][a-z]+$/);
  });
  it('before an answer goes from the line that the objective names to the answer', async () => {
    const spent = (await thoughtsOf('admin-customer-spent')).at(-1)!;
    const name = /customer (.*) spent/.exec(spent.page)![1];
    const lines = spent.thought.split('\n');
    expect(lines[0]).toMatch(new RegExp(`^${name} \\d+$`));
    expect(lines.at(-1)).toBe(`- ${/\[(.*)\]/.exec(spent.action)![1]}`);
    expect(spent.page).toContain(spent.thought);
    const phone = (await thoughtsOf('map-phone')).at(-1)!;
    expect(phone.thought).toMatch(/^- Phone\n- \d+ \d+$/);
  });
  it('is empty before an answer that the page does not hold', async () => {
    const [, { thought, action }] = await thoughtsOf('map-no-such-place');
    expect([thought, action]).toEqual(['', 'stop [N/A]']);
  });
});

describe('pages', () => {
  it('are parsed once while they are cached, and the least recently used is dropped first', () => {
    const parsed: string[] = [];
    const parse = withPageCache((html) => ({ html, number: parsed.push(html) }) as unknown as Document, 2);
    const first = parse('a');
    expect([parse('b'), parse('a')][1]).toBe(first);
    parse('c');
    expect(parse('a')).toBe(first);
    parse('b');
    expect(parsed).toEqual(['a', 'b', 'c', 'b']);
  });
});
