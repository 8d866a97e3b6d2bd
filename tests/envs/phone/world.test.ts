// The phone: its oracle on every template, its grammar and errors, the judge's laws, the laws of the layout.
import { describe, expect, it } from 'vitest';
import type { Feedback, Task, WorldOptions } from '../../../src/envs/env.ts';
import { validActionsAfter } from '../../../src/envs/env.ts';
import { randomAction } from '../../../src/envs/random-player.ts';
import { readAction, writeAction } from '../../../src/worlds/phone/actions.ts';
import { templates } from '../../../src/worlds/phone/tasks/templates.ts';
import { PhoneWorld } from '../../../src/worlds/phone/world.ts';
import { layoutFaults } from '../../../tools/fuzz/phone-layout.ts';

const world = await PhoneWorld.open();

async function begin(
  options: WorldOptions,
  at: number | ((task: Task) => boolean) = 0,
  split: 'train' | 'test' = 'train',
) {
  const tasks = await world.tasks(options, split);
  const task = typeof at === 'number' ? tasks[at] : tasks.find(at)!;
  const [feedback] = await world.reset([0], [task]);
  return feedback;
}
const act = async (action: string): Promise<Feedback> => (await world.step([0], [action]))[0];
const view = () => world.view(0);

/** Plays the oracle's plan. Returns the last feedback, and breaches of the layout's laws on the way. */
async function playPlan(feedback: Feedback, first: readonly string[] = []) {
  const found: string[] = [];
  let last = feedback;
  for (const action of first) last = await act(action);
  const [plan] = await world.oracle([0]);
  expect(plan).not.toBeNull();
  let listed = validActionsAfter(null, feedback);
  for (const action of plan!) {
    found.push(...layoutFaults(await view()));
    last = await act(action);
    expect([action, last.valid]).toEqual([action, true]);
    listed = validActionsAfter(listed, last);
  }
  return { last, found, turns: plan!.length };
}

describe('the oracle', () => {
  it.each(templates.map(({ template }) => [template.column, template.name]))('solves %s: %s', async (column, name) => {
    for (const options of [{}, { items: 10, largeFont: 100, slow: 60, popups: 60 }] as WorldOptions[]) {
      const all: WorldOptions = { templates: [name], instances: 3, testInstances: 2, columns: [column], ...options };
      const held = templates.find(({ template }) => template.name === name)!.template.heldOut;
      const tasks = [...(held ? [] : await world.tasks(all, 'train')), ...(await world.tasks(all, 'test'))];
      for (const task of tasks) {
        const [feedback] = await world.reset([0], [task]);
        const { last, found } = await playPlan(feedback);
        expect(found).toEqual([]);
        expect([task.id, feedback.observation.split('\n')[0], last.reward, last.done]).toEqual([
          task.id,
          expect.anything(),
          1,
          true,
        ]);
      }
    }
  });
});

const byName = (name: string, more: WorldOptions = {}): WorldOptions => ({
  ...{ templates: [name], popups: 0, slow: 0, largeFont: 0, ...more },
});

describe('the grammar', () => {
  it('reads and writes all fifteen actions', () => {
    const calls = [
      'tap(500,120)',
      'long_press(1,999)',
      'scroll(500,450,up)',
      'text(10,20,bring, the (tent))',
      'drag(1,2,3,4)',
      'call_api(messages,open)',
      'take_over(sign in)',
      ...['navigate_back()', 'navigate_home()', 'finish()', 'wait()', 'enter()', 'screen_shot()', 'long_screen_shot()'],
      'no_answer()',
    ];
    expect(calls.map((call) => writeAction(readAction(call)))).toEqual(calls);
    expect(new Set(calls.map((call) => readAction(call).name)).size).toBe(15);
    expect(readAction(' tap( 5 , 7.5 ) ')).toEqual({ name: 'tap', x: 5, y: 7.5 });
    expect(readAction("text(1,2,'a, b')")).toEqual({ name: 'text', x: 1, y: 2, text: 'a, b' });
    expect(readAction('action_completed')).toEqual({ name: 'finish' });
    expect(readAction('no_answer')).toEqual({ name: 'no_answer' });
  });

  it.each([
    ['dance()', 'unknown-action'],
    ['tap 500 120', 'no-such-element'],
    ['touch(500,120)', 'unknown-action'],
    ['tap(5)', 'bad-arguments'],
    ['tap(5,six)', 'bad-arguments'],
    ['tap(5,1000)', 'outside-screen'],
    ['scroll(5,5,sideways)', 'bad-arguments'],
    ['wait(3)', 'bad-arguments'],
    ['tap(999,500)', 'nothing-there'],
    ['long_press(120,150)', 'not-held'],
    ['text(120,150,hello)', 'not-a-field'],
    ['drag(120,150,500,150)', 'nothing-to-drag'],
    ['scroll(500,500,up)', 'nothing-to-scroll'],
    ['scroll(500,500,left)', 'nothing-to-scroll'],
    ['enter()', 'no-field'],
    ['navigate_back()', 'nowhere-back'],
    ['navigate_home()', 'already-home'],
    ['call_api(camera,open)', 'unknown-app'],
    ['call_api(music,eat)', 'bad-arguments'],
    ['tap 99', 'no-such-element'],
  ])('refuses %s on the home screen by name: %s', async (action, name) => {
    await begin(byName('send-message'));
    const before = (await view()).text;
    const { observation, valid, done } = await act(action);
    expect(observation).toMatch(new RegExp(`^Error \\(${name}\\): \\S.*\\.$`));
    expect([valid, done]).toEqual([false, false]);
    expect((await view()).text).toBe(before);
  });

  it('reads the number of an element with its name or without, and refuses another name', async () => {
    await begin(byName('like-song', { actions: 'names', observation: 'brief' }));
    expect((await world.oracle([0]))[0]![0]).toBe('tap Music 7');
    expect((await act('tap Shop 7')).valid).toBe(false);
    expect((await act('tap Music 7')).observation).toMatch(/^Music : /);
    expect((await act('hold 2')).observation).toMatch(/^Add to a playlist : /);
  });

  it('reads a point digit by digit, and lists the middles of the elements so', async () => {
    const { validActions } = await begin(byName('like-song', { actions: 'points', observation: 'brief' }));
    const [plan] = await world.oracle([0]);
    expect(plan![0]).toMatch(/^tap \d \d \d \d \d \d$/);
    expect(validActions).toContain(plan![0]);
    const [x, y] = [plan![0].slice(4, 9), plan![0].slice(10)].map((digits) => Number(digits.replaceAll(' ', '')));
    const after = (await act(plan![0])).observation;
    expect(after).toMatch(/^Music : /);
    await begin(byName('like-song', { observation: 'brief' }));
    expect((await act(`tap(${x},${y})`)).observation).toBe(after);
    expect((await act('tap 4 8 0 1 3')).valid).toBe(false);
  });

  it('loads slow apps, asks for a wait, and lets an offer cover an app', async () => {
    await begin(byName('send-message', { slow: 100, popups: 0 }));
    await act('call_api(messages,open)');
    expect((await act('tap(500,500)')).observation).toMatch(/^Error \(loading\)/);
    expect((await act('wait()')).observation).toMatch(/^App: messages\. Screen: Messages\./);
    await begin(byName('offer-on-messages'));
    expect((await act('call_api(messages,open)')).observation).toMatch(/Dialog: Special offer/);
    expect((await act('tap(500,60)')).observation).toMatch(/^Error \(covered\)/);
    expect((await act('navigate_back()')).observation).toMatch(/Screen: Messages/);
  });
});

describe('the judge', () => {
  it('counts a finish before the change as a false completion', async () => {
    await begin(byName('send-message'));
    expect((await act('finish()')).reward).toBe(0);
    expect((await view()).outcome).toMatchObject({ success: false, falseCompletion: true, sideEffects: [] });
    expect((await view()).outcome!.missing.length).toBeGreaterThan(0);
    expect(await act('finish()')).toMatchObject({ valid: false, done: true, reward: 0 });
  });

  it('counts a change that nobody asked for, with the rest right', async () => {
    await begin(byName('send-message'));
    const [plan] = await world.oracle([0]);
    await act('screen_shot()');
    expect(await world.oracle([0])).toEqual([null]);
    for (const action of plan!) await act(action);
    expect((await view()).outcome).toMatchObject({
      success: false,
      falseCompletion: false,
      missing: [],
      sideEffects: [{ path: 'device › pictures › screen home', before: null, after: 'true' }],
    });
  });

  it('takes the right end alone: no_answer where there is no such contact, take_over at a locked account', async () => {
    for (const [name, right] of [
      ['no-contact', 'no_answer()'],
      ['locked-tickets', 'take_over(password)'],
      ['already-set', 'finish()'],
    ])
      for (const end of ['no_answer()', 'take_over(password)', 'finish()']) {
        await begin(byName(name));
        expect([name, end, (await act(end)).reward]).toEqual([name, end, end === right ? 1 : 0]);
      }
  });

  it('does not count what is undone: the state alone counts', async () => {
    await begin(byName('like-song'));
    const [plan] = await world.oracle([0]);
    for (const action of plan!.slice(0, -1)) await act(action);
    const like = plan!.at(-2)!;
    await act(like);
    expect((await act('finish()')).reward).toBe(0);
    await begin(byName('like-song'));
    for (const action of [...plan!.slice(0, -1), like, like, 'finish()']) await act(action);
    expect((await view()).outcome).toMatchObject({ success: true });
  });
});

describe('tasks', () => {
  it('are the same for the same seed, and others for another', async () => {
    const texts = async (seed: number) => {
      const tasks = (await world.tasks({ seed, instances: 1 }, 'train')).slice(0, 40);
      return (await world.reset([...tasks.keys()], tasks)).map(({ observation }) => observation);
    };
    expect(await texts(1)).toEqual(await texts(1));
    expect(await texts(1)).not.toEqual(await texts(2));
  });

  it('have names in held-out tasks that training never shows', async () => {
    const goals = async (split: 'train' | 'test') => {
      const tasks = await world.tasks(byName('mute-thread', { instances: 300, testInstances: 300 }), split);
      return new Set(
        (await world.reset([...tasks.keys()], tasks)).map(({ observation }) => observation.split('\n')[0]),
      );
    };
    const [train, test] = [await goals('train'), await goals('test')];
    expect(train.size).toBeGreaterThan(20);
    expect([...test].filter((goal) => train.has(goal))).toEqual([]);
  });

  it('are refused by name: templates that do not exist or are held out, ids out of range', async () => {
    await expect(world.tasks({ templates: ['fly'] }, 'train')).rejects.toThrow(/no template "fly".*send-message/);
    await expect(world.tasks({ templates: ['told-play'] }, 'train')).rejects.toThrow(/for evaluations alone/);
    await expect(world.reset([0], [{ world: 'phone', id: -1, options: {}, strata: {} }])).rejects.toThrow(/it is -1/);
  });
});

describe('a random player by element number', () => {
  it('takes listed actions alone, which are never refused, and the oracle still solves what can be repaired', async () => {
    const options = { observation: 'brief', actions: 'numbers', instances: 2 };
    const tasks = (await world.tasks(options, 'train')).filter((_, k) => k % 3 === 0);
    let repaired = 0;
    for (const [k, task] of tasks.entries()) {
      const [feedback] = await world.reset([0], [task]);
      let listed = validActionsAfter(null, feedback)!;
      for (let turn = 0; turn < 6; turn++) {
        const open = listed.filter((action) => !/^(finish|no answer|take over)$/.test(action));
        const answer = await act(randomAction(open, 5, k, turn));
        expect(answer.valid).toBe(true);
        expect(layoutFaults(await view())).toEqual([]);
        listed = validActionsAfter(listed, answer)!;
      }
      const [plan] = await world.oracle([0]);
      if (!plan) continue;
      repaired++;
      let last: Feedback | undefined;
      for (const action of plan) last = await act(action);
      expect(last).toMatchObject({ reward: 1, done: true });
    }
    expect(repaired).toBeGreaterThan(tasks.length / 4);
  });
});

describe('goals made from a screen', () => {
  it('begin on a screen of an app, ask for one change there, and are judged by it', async () => {
    const tasks = await world.tasks(byName('from-screen', { instances: 30 }), 'train');
    const [goals, places] = [new Set<string>(), new Set<string>()];
    for (const task of tasks) {
      const [{ observation }] = await world.reset([0], [task]);
      goals.add(/^Goal: (\w+ \w+)/.exec(observation)![1]);
      places.add(/App: (\w+)/.exec(observation)![1]);
      const [plan] = await world.oracle([0]);
      expect(plan!.length).toBeGreaterThan(1);
      const last = plan!.length - 1;
      for (const action of plan!.slice(0, last)) await act(action);
      // Only the change is missing before it is made, and nothing else changes.
      expect([(await view()).subgoals, (await act(plan![last])).reward]).toEqual([{ reached: 1, all: 1 }, 1]);
      await world.reset([0], [task]);
      expect((await act('finish()')).reward).toBe(0);
    }
    expect(goals.size).toBeGreaterThan(6);
    expect(places.size).toBeGreaterThan(5);
  });

  it('ask to tap what is named, which the place at the end shows', async () => {
    for (const task of await world.tasks(byName('tap-named', { instances: 20 }), 'train')) {
      const [{ observation }] = await world.reset([0], [task]);
      const [, name] = /^Goal: Tap (.+)\.$/m.exec(observation)!;
      const [plan] = await world.oracle([0]);
      const { elements } = await view();
      const [, x, y] = /^tap\((\d+),(\d+)\)$/.exec(plan![0])!.map(Number);
      const [left, top, right, bottom] = elements.find(({ text }) => text === name)!.box;
      expect([x > left && x < right, y > top && y < bottom]).toEqual([true, true]);
      await act(plan![0]);
      await act(plan![1]);
      expect((await act('finish()')).done).toBe(true);
      await world.reset([0], [task]);
      await act('finish()');
      expect((await view()).outcome).toMatchObject({ success: false, missing: [{ path: 'place' }] });
    }
  });
});

describe('the reward of the steps', () => {
  const near = (action: string, by: number) =>
    action.replace(/\((\d+),(\d+)\)/, (_, x: string, y: string) => `(${x},${Number(y) + by})`);

  it('falls with the distance to the right element, and is 1 for a solved task alone', async () => {
    const options = byName('tap-named', { stepReward: true });
    const rewards: number[] = [];
    const parts: unknown[] = [];
    for (const by of [0, 20, 70]) {
      await begin(options);
      const [plan] = await world.oracle([0]);
      rewards.push((await act(near(plan![0], by))).reward);
      parts.push((await view()).turns[0].reward);
    }
    // (total + 1) / 4 of the step, halved: format 1, accuracy 2, distance -2 × by / 140.
    expect(rewards.map((each) => Number(each.toFixed(6)))).toEqual(
      [0, 20, 70].map((by) => Number(((1 + 2 - (2 * by) / 140 + 1) / 8).toFixed(6))),
    );
    expect(parts[2]).toEqual({ format: 1, accuracy: 2, distance: -1, total: 2 });
    await begin(options);
    expect((await act('nonsense')).reward).toBe(0.125);
    await begin(options);
    const [plan] = await world.oracle([0]);
    for (const action of plan!.slice(0, -1)) expect((await act(action)).reward).toBe(0.5);
    expect((await act(plan!.at(-1)!)).reward).toBe(1);
  });

  it('is the same near the right point and at it without the distance', async () => {
    for (const [by, reward] of [
      [0, 0.5],
      [70, 0.5],
      [400, 1 / 6],
    ]) {
      await begin(byName('tap-named', { stepReward: true, distance: false }));
      const [plan] = await world.oracle([0]);
      const { y } = readAction(plan![0]) as { y: number };
      expect((await act(near(plan![0], y > 500 ? -by : by))).reward).toBeCloseTo(reward, 9);
    }
  });

  it('stands in the view whether or not the episode is rewarded by it', async () => {
    const seen: unknown[] = [];
    for (const stepReward of [true, false]) {
      await begin(byName('send-message', { stepReward }));
      await act('nonsense');
      const [plan] = await world.oracle([0]);
      await act(plan![0]);
      const halfway = (await view()).turns;
      for (const action of plan!.slice(1)) await act(action);
      seen.push({ halfway, turns: (await view()).turns });
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(JSON.stringify(seen[0])).toContain('"accuracy":2');
  });
});
