// Touches of a group on a screen, compared with what lay under each touch when it was made.
import { expect, it } from 'vitest';
import { validActionsAfter } from '../../../src/envs/env.ts';
import { randomAction, uniformAt } from '../../../src/envs/random-player.ts';
import { groupTapsOn } from '../../../src/worlds/phone/view/group-taps.ts';
import type { PhoneView, ScreenSeen } from '../../../src/worlds/phone/view-data.ts';
import { PhoneWorld } from '../../../src/worlds/phone/world.ts';

const world = await PhoneWorld.open();
const options = { templates: ['set-brightness'], instances: 4, testInstances: 2, popups: 100, slow: 0 };
const episodes = 6;

interface Touch {
  episode: number;
  x: number;
  y: number;
  text: string | null;
}

const view = async () => (await world.view(0)) as PhoneView;

/** Element around a point: keys first, which stand over the others. */
function under({ elements, chrome }: ScreenSeen, x: number, y: number): string | null {
  const around = (list: ScreenSeen['elements']) =>
    list.filter(({ box: [l, t, r, b] }) => l <= x && x < r && t <= y && y < b).at(-1)?.text;
  return around(chrome) ?? around(elements) ?? null;
}

it('counts what each episode of a group touched on a screen', async () => {
  const [task] = await world.tasks(options, 'train');
  const touches = new Map<string, Touch[]>();
  const screens = new Map<string, ScreenSeen>();
  const ends: PhoneView[] = [];
  for (let episode = 0; episode < episodes; episode++) {
    let [feedback] = await world.reset([0], [task]);
    let listed = validActionsAfter(null, feedback);
    for (let turn = 0; turn < 12 && !feedback.done; turn++) {
      const seen = await view();
      screens.set(seen.place, seen);
      // Every third touch is anywhere, and often beside all elements.
      const anywhere = [1, 2].map((k) => Math.floor(1000 * uniformAt(7, episode, 100 * k + turn)));
      const action = turn % 3 === 2 ? `tap(${anywhere})` : randomAction(listed!, 5, episode, turn);
      const at = /^(?:tap|long_press|scroll|text|drag)\((\d+),(\d+)/.exec(action);
      if (at) {
        const [x, y] = [Number(at[1]), Number(at[2])];
        const text = under(seen, x, y);
        touches.set(seen.place, [...(touches.get(seen.place) ?? []), { episode, x, y, text }]);
      }
      [feedback] = await world.step([0], [action]);
      listed = validActionsAfter(listed, feedback);
    }
    ends.push(await view());
  }
  expect(touches.size).toBeGreaterThan(3);
  let beside = 0;
  for (const [place, screen] of screens) {
    const { points, episodes: count, touched } = groupTapsOn(screen, ends);
    const own = touches.get(place) ?? [];
    expect(points).toEqual(own.map(({ x, y }) => ({ x, y })));
    expect(count).toBe(new Set(own.map(({ episode }) => episode)).size);
    const pairs = new Set(own.map(({ text, episode }) => `${text}/${episode}`));
    const expected = new Map<string, number>();
    for (const pair of pairs) {
      const text = pair.slice(0, pair.lastIndexOf('/'));
      expected.set(text, (expected.get(text) ?? 0) + 1);
    }
    expect(new Map(touched.map((each) => [String(each.text), each.episodes]))).toEqual(expected);
    expect(touched.map((each) => each.episodes)).toEqual(touched.map((each) => each.episodes).sort((a, b) => b - a));
    beside += touched.filter(({ text }) => text === null).length;
  }
  expect(beside).toBeGreaterThan(0);
  expect(groupTapsOn(ends[0], []).points).toEqual([]);
});
