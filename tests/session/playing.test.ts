/**
 * A world played by a person: begun by split and index, stepped, ended, with the same success as the world itself
 * counts.
 */
import { expect, it } from 'vitest';
import { HandPlay } from '../../src/session/play/play.ts';
import { openWorld } from '../../src/worlds/registry.ts';

it('plays a task of BabyAI to its end with the oracle’s actions', async () => {
  const options = { levels: [1], observation: 'compact', testSeeds: 3 };
  const world = await openWorld('babyai');
  const playing = new HandPlay(() => openWorld('babyai'));
  const tasks = await world.tasks(options, 'test');
  const [first] = await world.reset([0], [tasks[1]]);
  const [plan] = await world.oracle([0]);

  // Index 4 of three tasks wraps around to the second.
  const started = await playing.reset({ name: 'babyai', options, split: 'test', index: 4 });
  expect(started).toMatchObject({ observation: first.observation, actions: first.validActions, done: false });
  expect(started.view.kind).toBe('babyai');
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
  const start = { name: 'babyai', options: { levels: [99] }, split: 'train', index: 0 } as const;
  await expect(playing.reset({ ...start, options: { levels: [99] } })).rejects.toThrow(
    /options\.levels\.0: .*at most 40/,
  );
  await playing.close();
});
