// Uses of a policy besides training: one at a time, however close together they are asked for.
import { expect, it } from 'vitest';
import type { Engine } from '../../src/session/engine.ts';
import { PolicyUses } from '../../src/session/run/policy-uses.ts';

const noWeights = { tensors: new Map(), optimizerStep: 0 };

/** A run whose stored steps take a moment to read. */
function examined() {
  let active = 0;
  let most = 0;
  let isFree = true;
  const uses = new PolicyUses({
    stored: async () => {
      most = Math.max(most, ++active);
      await new Promise((resolve) => setTimeout(resolve, 20));
      active--;
      return { before: noWeights, after: noWeights, trajectories: [] };
    },
    reference: async () => null,
    isFree: async () => isFree,
    openToPlay: async () => ({}) as Engine,
    openToExamine: async () => ({ training: null }) as unknown as Engine,
    weightsOf: () => null,
    setWeights: () => {},
    options: () => ({}) as never,
  });
  const train = async () => {
    isFree = false;
    await uses.stop();
    return active;
  };
  return { uses, train, most: () => most };
}

it('steps that are examined at the same time take turns', async () => {
  const { uses, most } = examined();
  const found = await Promise.all([uses.inspectStep(1), uses.inspectStep(2), uses.inspectStep(3)]);
  expect(found.map((each) => each?.step)).toEqual([1, 2, 3]);
  expect(most()).toBe(1);
});

it('training begins after the examination in progress, and those that wait are dropped', async () => {
  const { uses, train } = examined();
  const first = uses.inspectStep(1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = uses.inspectStep(2);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await train()).toBe(0);
  expect((await first)?.step).toBe(1);
  expect(await second).toBeNull();
});
