/** Limits of Tinker's sessions, clients and samplers: which end, and which weights are kept or read again. */
import { expect, test } from 'vitest';
import { RefusedError, type TrainedModel, type Weights } from '../../src/server/tinker/trained-model.ts';
import { Training } from '../../src/server/tinker/training.ts';

/** A policy whose saved states are their names. */
function savedModel(read: string[]): TrainedModel {
  const unused = () => {
    throw new Error('not used');
  };
  return {
    ...{ id: 'tiny', contextTokens: 8, vocabSize: 8, losses: {}, base: {} },
    ...{ token: unused, checkRoom: unused, score: unused, step: unused, sample: unused, promptLogprobs: unused },
    ...{ withoutOptimizer: unused, save: unused },
    async restore({ name }) {
      read.push(name);
      return { name };
    },
  };
}

test('the weights of the last 32 samplers are kept, and older ones are read again or refused', async () => {
  const read: string[] = [];
  const training = new Training([savedModel(read)], () => {});
  const session = training.openSession();
  const served = training.named('tiny');
  const sampler = (seq: number, path: string | null, weights: Weights) =>
    training.addSampler(session, seq, { served, path, weights });
  const first = sampler(0, null, {});
  const saved = Array.from({ length: 33 }, (_, k) =>
    sampler(k + 1, `tinker://c/sampler_weights/s${k}`, { name: `s${k}` }),
  );
  const base = sampler(99, null, served.model.base);
  expect([first, ...saved].filter(({ weights }) => weights !== null)).toHaveLength(32);
  expect(await training.weightsOf(saved[0])).toEqual({ name: 's0' });
  expect(await training.weightsOf(saved[32])).toEqual({ name: 's32' });
  expect(read).toEqual(['s0']);
  expect(await training.weightsOf(base)).toBe(served.model.base);
  await expect(training.weightsOf(first)).rejects.toThrow(RefusedError);
});

test('256 sessions and 16 training clients are kept; those of programs without a sign of life are replaced', () => {
  let now = 0;
  const training = new Training(
    [savedModel([])],
    () => {},
    () => now,
  );
  const served = training.named('tiny');
  const sessions = Array.from({ length: 256 }, () => training.openSession());
  expect(() => training.openSession()).toThrow(/at most 256 sessions: end another program/);
  const client = (session: string, seq: number) => training.addClient(session, seq, served, served.model.base);
  for (let seq = 0; seq < 16; seq++) client(sessions[0], seq);
  expect(() => client(sessions[1], 0)).toThrow(/at most 16 training clients/);
  now = 59_000;
  training.beat(sessions[1]);
  now = 61_000;
  client(sessions[1], 0);
  training.openSession();
  expect(() => training.beat(sessions[0])).toThrow(/no session/);
  training.beat(sessions[1]);
});
