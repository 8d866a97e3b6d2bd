// Per-token effect of a step, computed from its checkpoints: it agrees with the objective, and a run that was inspected
// continues with the same numbers.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { isTiming } from '../../src/rl/metrics/metrics.ts';
import { Session } from '../../src/session/run/session.ts';
import { decodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { FakeEngines } from './fakes.ts';

const document = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
// One update a step and no other terms, so that the weight of a token is its advantage times its coefficient.
const algorithm = {
  ...document.algorithm,
  minibatches: 1,
  innerEpochs: 1,
  entropy: 0,
  kl: { estimator: 'k3', coefficient: 0 },
  groups: 4,
};
const experiment = parseExperiment({ ...document, algorithm, evaluation: { every: 0, episodes: 8 } });
const folder = mkdtempSync(join(tmpdir(), 'tabgym-inspection-'));
const store = new RunStore(new FolderStore(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const machine = { open: () => WasmDevice.open({ threads: 1 }) };

async function run() {
  const { id } = await store.create({ name: 'a run', experiment, origin: { kind: 'new' } });
  const session = new Session(id, experiment, { store, engines: new Assembly({ machine, openWorld }), emit: () => {} });
  return { id, session };
}

const numbers = (records: readonly StepRecord[]) =>
  records.map(({ metrics }) =>
    Object.fromEntries(Object.entries(metrics).filter(([name]) => !isTiming(name) && name !== 'buffersCreated')),
  );

it('the inspection shows the weight of each token in the update, and leaves the run unchanged', async () => {
  const looked = await run();
  await looked.session.train({ steps: 2 });
  const inspection = (await looked.session.inspectStep(2))!;
  const stored = decodeTrajectories((await store.trajectories(looked.id, 2))!);
  expect(inspection.episodes).toHaveLength(stored.length);
  let trained = 0;
  let agree = 0;
  for (const [k, { before, after, weight, advantage }] of inspection.episodes.entries()) {
    const { choices, logprob, advantages } = stored[k];
    expect(before.length).toBe(advantages.length);
    before.forEach((value, row) => {
      // The scored tokens are the sampled ones.
      expect(value).toBeCloseTo(logprob[choices!.position[row]], 4);
      expect(advantage[row]).toBeCloseTo(advantages[row], 5);
      expect(Math.sign(weight[row])).toBe(-Math.sign(advantages[row]) + 0);
      if (advantages[row] === 0) return;
      trained += 1;
      if (Math.sign(after[row] - value) === Math.sign(advantages[row])) agree += 1;
    });
  }
  // The |weights| of all episodes are their |advantages| with one coefficient: token-mean.
  const tokens = inspection.episodes.reduce((sum, { before }) => sum + before.length, 0);
  const advantages = inspection.episodes.reduce(
    (sum, each) => sum + each.advantage.reduce((own, a) => own + Math.abs(a), 0),
    0,
  );
  expect(inspection.totalWeight).toBeCloseTo(advantages / tokens, 5);
  // A step along the gradient moves most tokens in the direction of their advantage.
  if (trained) expect(agree / trained).toBeGreaterThan(0.5);
  expect(inspection.weights.some(({ change }) => change > 0)).toBe(trained > 0);
  await looked.session.train({ steps: 1 });
  await looked.session.close();

  const plain = await run();
  await plain.session.train({ steps: 3 });
  await plain.session.close();
  expect(numbers(await store.records(looked.id))).toEqual(numbers(await store.records(plain.id)));
});

it('the alternatives of a token are those allowed, with probabilities that sum to one', async () => {
  const { id, session } = await run();
  await session.train({ steps: 2 });
  const stored = decodeTrajectories((await store.trajectories(id, 2))!);
  const inspection = (await session.inspectStep(2))!;
  const k = stored.findIndex(({ choices }) => choices !== null && choices.position.length > 1);
  const { group, member, choices, tokens } = stored[k];
  for (const [row, position] of [...choices!.position].slice(0, 3).entries()) {
    const found = (await session.alternatives(2, { group, member, position }))!;
    const allowed = [...choices!.tokens.subarray(choices!.offsets[row], choices!.offsets[row + 1])];
    if (allowed.length > 16) continue;
    expect(found.map(({ token }) => token)).toEqual(allowed);
    for (const when of ['before', 'after'] as const) {
      expect(found.reduce((sum, each) => sum + each[when], 0)).toBeCloseTo(1, 4);
      // The sampled token is scored as the inspection scores it.
      const taken = found.find(({ token }) => token === tokens[position])!;
      expect(taken[when]).toBeCloseTo(Math.exp(inspection.episodes[k][when][row]), 4);
    }
  }
  // A token of the world was not chosen.
  expect(await session.alternatives(2, { group, member, position: 0 })).toBeNull();
  await session.train({ steps: 1 });
  await session.close();
  const plain = await run();
  await plain.session.train({ steps: 3 });
  await plain.session.close();
  expect(numbers(await store.records(id))).toEqual(numbers(await store.records(plain.id)));
});

it('a step whose weights are not kept has no inspection', async () => {
  const { session } = await run();
  await session.train({ steps: 1 });
  expect(await session.inspectStep(5)).toBeNull();
  await session.close();
});

it('an inspection that fails rejects once, and nothing besides it', async () => {
  const { id, session } = await run();
  await session.train({ steps: 2 });
  await session.close();
  const engines = new FakeEngines(() => {
    throw new Error('no device');
  });
  const failing = new Session(id, experiment, { store, engines, emit: () => {} });
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  await expect(failing.inspectStep(2)).rejects.toThrow('no device');
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  await failing.close();
});
