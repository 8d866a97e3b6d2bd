/**
 * The longest action that reaches a world, made of what its readers treat specially, in every world that runs here:
 * each is answered as an action. At this length an exponential reader never ends and a cubic one takes hours, so no time
 * is measured.
 */
import { describe, expect, it } from 'vitest';
import type { WorldOptions } from '../../src/envs/env.ts';
import { MOST_ACTION, MOST_OBSERVATION } from '../../src/envs/text-bounds.ts';
import { openWorld, worldModules } from '../../src/worlds/registry.ts';

const repeated = [
  ...[' ', '\n', '\0', '\u2003', '😀', '\ud800', '0', '-', '.', '"', "'", '\\', '(', '[', '{', '[[', '{"a":', '"\\'],
  ...['```', '```\n', '#', '# ', '<search>', '<answer>', '<think>', '<tool_call>', 'Action: ', 'Action Input: '],
  ...[
    'click[',
    'search[',
    'type [1] [',
    'put a ',
    'go to ',
    ' in ',
    ' using ',
    'SELECT (',
    'CASE WHEN ',
    '/*',
    'NEAR(',
  ],
];
const before = ['', 'Action: ', 'search[', 'SELECT ', '<tool_call>{"name": "', 'Action: a with Action Input: ', '```'];

const texts = before.flatMap((begin) =>
  repeated.map((each) => (begin + each.repeat(MOST_ACTION)).slice(0, MOST_ACTION)),
);

const local = worldModules.filter(({ connection }) => connection.kind === 'wasm' || connection.kind === 'page');

describe.each(local.map(({ name }) => name))('%s', (name) => {
  it('answers each of them', { timeout: 120_000 }, async () => {
    const world = await openWorld(name);
    for (const options of [{}, { upstream: true }] as WorldOptions[]) {
      const tasks = await world.tasks(options, 'test').catch(() => []);
      if (!tasks.length) continue;
      for (const text of texts) {
        await world.reset([0], [tasks[0]]);
        const [{ failure, observation }] = await world.step([0], [text]);
        expect(failure, JSON.stringify(text.slice(0, 60))).toBeUndefined();
        expect(observation.length).toBeLessThan(MOST_OBSERVATION);
      }
    }
  });
});
