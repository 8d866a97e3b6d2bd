/** Frames of a trajectory: replayed if the world is replayable, otherwise as recorded. */
import { expect, it } from 'vitest';
import { Conversation } from '../../src/rl/episode/conversation.ts';
import { rollout } from '../../src/rl/episode/rollout.ts';
import { framesOf } from '../../src/session/play/replay.ts';
import { capacity, DoorWorld, FakePolicy } from '../rl/fakes.ts';
import { tokenizer } from '../rl/setup.ts';

async function played() {
  const world = new DoorWorld();
  const tasks = (await world.tasks({}, 'train')).slice(0, 1);
  const parts = {
    policy: new FakePolicy(tokenizer.vocabSize, capacity()),
    worlds: new Map([['doors', world]]),
    conversation: new Conversation(tokenizer),
  };
  const request = { tasks, groupSize: 1, limit: 5, temperature: 1, maskActions: true, maxTokensPerTurn: 6 };
  const rules = { invalidAction: 'continue' as const };
  return (await rollout(parts, { ...request, rules, seed: 3, stream: 1 }))[0];
}

it('a replayable world repeats the actions', async () => {
  const trajectory = await played();
  const world = new DoorWorld();
  const frames = await framesOf(world, trajectory);
  expect(frames.map(({ observation }) => observation)).toEqual([
    trajectory.prompt,
    ...trajectory.turns.map(({ observation }) => observation),
  ]);
  expect(world.steps).toBe(trajectory.turns.length);
});

it('another world shows the recorded frames without a request to its server', async () => {
  const trajectory = await played();
  const world = new DoorWorld();
  const replayed = await framesOf(world, trajectory);
  const { steps } = world;
  const description = world.describe();
  world.describe = () => ({ ...description, replayable: false });
  const frames = await framesOf(world, trajectory);
  expect(world.steps).toBe(steps);
  const fieldsOf = ({ turn, action, observation }: (typeof frames)[number]) => [turn, action, observation];
  expect(frames.map(fieldsOf)).toEqual(replayed.map(fieldsOf));
  expect(frames[1].view).toEqual({ kind: 'text', text: trajectory.turns[0].observation });
});
