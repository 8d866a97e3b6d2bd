/** A model behind an API plays a world of tools by calls. */
import { expect, test } from 'vitest';
import { promptRulesOf } from '../../src/envs/env.ts';
import { ChatPlay, type ChatTurnMessage, type Replier, withinContext } from '../../src/rl/episode/chat-episode.ts';
import { openWorld } from '../../src/worlds/registry.ts';

/** A reply for each turn, without a world's calls: the ids of its calls. */
async function idsSent(replies: readonly (readonly string[])[]): Promise<(string | undefined)[][]> {
  const world = await openWorld('tools-todo');
  const tasks = (await world.tasks({ calls: true, instances: 1 }, 'train')).slice(0, 1);
  let last: readonly ChatTurnMessage[] = [];
  let turn = 0;
  const say: Replier = async (all) => {
    last = [...all];
    const ids = replies[Math.min(turn++, replies.length - 1)];
    return {
      text: '',
      calls: ids.map((id) => ({ id, type: 'function', function: { name: 'none', arguments: '{}' } })),
    };
  };
  const limit = replies.length + 1;
  const request = { tasks, groupSize: 1, limit, endOnInvalid: false, atOnce: 1, contextTurns: 0 };
  await new ChatPlay(new Map([['tools-todo', world]]), say, request, { signal: new AbortController().signal }).play();
  await world.close();
  const asked = last.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  return [asked, last.filter(({ role }) => role === 'tool').map(({ tool_call_id }) => tool_call_id)];
}

test.each([
  // github.com/NousResearch/hermes-agent/pull/72766 and 11722, github.com/can1357/oh-my-pi/issues/2055
  ['of a server without ids', [['call_0'], ['call_0'], ['call_0']], ['call_0', 'call_1', 'call_2']],
  ['of Mistral', [['b9mgIC84m'], ['b9mgIC84m']], ['b9mgIC84m', 'b9mgIC840']],
  ['twice in a reply', [['a', 'a']], ['a', '0']],
  ['once each', [['x1'], ['x2']], ['x1', 'x2']],
])('a call and its result have an id of their own: %s', async (_, replies, ids) => {
  expect(await idsSent(replies)).toEqual([ids, ids]);
});

test('calls of tools by the oracle win, are answered by results, and are one a turn', async () => {
  const world = await openWorld('tools-todo');
  const tasks = (await world.tasks({ calls: true, instances: 1 }, 'train')).slice(0, 3);
  const { calls } = promptRulesOf(world.describe(), tasks[0]);
  const plans = new Map<string, readonly string[]>();
  for (const task of tasks) {
    const [{ observation }] = await world.reset([9], [task]);
    plans.set(observation, (await world.oracle([9]))[0]!);
  }
  const seen: (readonly ChatTurnMessage[])[] = [];
  const call = (action: string, id: string) => {
    const { name, arguments: given } = calls!.callOf(action)!;
    return { id, type: 'function' as const, function: { name, arguments: JSON.stringify(given) } };
  };
  const say: Replier = async (all, _key, _signal, offered) => {
    expect(offered).toBe(calls!.tools);
    seen.push([...all]);
    const plan = [...plans].find(([observation]) => all[0].content.endsWith(`\n\n${observation}`))![1];
    const turn = all.filter(({ role }) => role === 'assistant').length;
    // The first reply has two calls, which the world refuses.
    if (turn === 0) return { text: '', calls: [call(plan[0], 'x'), call(plan[0], 'y')] };
    return { text: '', calls: [call(plan[turn - 1], `t${turn}`)] };
  };
  const request = { tasks, groupSize: 1, limit: 20, endOnInvalid: false, atOnce: 2, contextTurns: 0 };
  const signal = new AbortController().signal;
  const episodes = await new ChatPlay(new Map([['tools-todo', world]]), say, request, { signal }).play();
  expect(episodes.map(({ success }) => success)).toEqual([true, true, true]);
  const [opening, reply, ...answers] = seen.find((all) => all.length === 4)!;
  expect(opening.role).toBe('user');
  expect(reply.tool_calls).toHaveLength(2);
  expect(answers.map(({ role, tool_call_id, content }) => [role, tool_call_id, content])).toEqual([
    ['tool', 'x', 'A turn has exactly one call.'],
    ['tool', 'y', 'A turn has exactly one call.'],
  ]);
  const whole = seen.find((all) => all.length === 6)!;
  expect(withinContext(whole, 1, 1)).toEqual([whole[0], ...whole.slice(4)]);
  await world.close();
});
