/** Sessions that are closed while a request of theirs is in progress: their slot goes to one later session only. */
import { expect, test } from 'vitest';
import type { Feedback, World } from '../../src/envs/env.ts';
import type { WorldModule } from '../../src/envs/module.ts';
import type { AgentGymForm } from '../../src/envs/serving/form.ts';
import { ServedWorld } from '../../src/server/served-world.ts';
import { SessionLedger } from '../../src/server/sessions.ts';

const answer: Feedback = { observation: '', reward: 0, done: false, valid: true, validActions: null };

function served(called: number[]): ServedWorld {
  const step: World['step'] = async (slots) => {
    called.push(...slots);
    return slots.map(() => answer);
  };
  const world = { step, view: async () => ({}) } as unknown as World;
  const ledger = new SessionLedger({ sessions: 10, idleSeconds: 60 });
  return new ServedWorld({} as WorldModule, {} as AgentGymForm, world, ledger);
}

test('a request that goes on after the close is refused, and two later sessions have a slot each', async () => {
  const called: number[] = [];
  const world = served(called);
  const place = world.open(() => {});
  const acting = place.act('x');
  place.close();
  expect(await acting).toBe(answer);
  await expect(place.view()).rejects.toThrow(/^The session was closed while/);
  await expect(place.act('x')).rejects.toThrow(/^The session was closed while/);
  const [one, two] = [world.open(() => {}), world.open(() => {})];
  await Promise.all([one.act('x'), two.act('x')]);
  expect(called).toEqual([0, 0, 1]);
  world.ledger.close();
});
