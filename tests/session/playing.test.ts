/**
 * A world played by a person: begun by split and index, stepped, ended, with the same success as the world itself
 * counts.
 */
import { expect, it } from 'vitest';
import { HandPlay } from '../../src/session/play/play.ts';
import { openWorld } from '../../src/worlds/registry.ts';

it('plays a task of TextCraft to its end with the oracle’s actions', async () => {
  const options = { depths: [1], distractors: 0 };
  const world = await openWorld('textcraft');
  const playing = new HandPlay(() => openWorld('textcraft'));
  const tasks = await world.tasks(options, 'test');
  const [first] = await world.reset([0], [tasks[1]]);
  const [plan] = await world.oracle([0]);

  // An index past the last task begins again: this one is the second.
  const started = await playing.reset({ name: 'textcraft', options, split: 'test', index: tasks.length + 1 });
  expect(started).toMatchObject({ observation: first.observation, actions: first.validActions, done: false });
  // The agent can be given the same one.
  expect(started.task).toEqual(tasks[1]);
  expect(started.view.kind).toBe('textcraft');
  let frame = await playing.step('fly to the moon');
  expect(frame).toMatchObject({ valid: false, done: false, success: false });
  expect(frame.actions).toEqual(first.validActions);
  for (const action of plan!) frame = await playing.step(action);
  expect(frame).toMatchObject({ done: true, success: true, actions: [] });
  await playing.close();
});

it('refuses an action before a task, and invalid options by path', async () => {
  const playing = new HandPlay((name) => openWorld(name));
  await expect(playing.step('drop')).rejects.toThrow(/start one first/);
  const start = { name: 'textcraft', options: { depths: [99] }, split: 'train' as const, index: 0 };
  await expect(playing.reset(start)).rejects.toThrow(/options\.depths\.0: .*at most 4/);
  await playing.close();
});
