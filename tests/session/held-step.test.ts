// A step on the processor, held in the middle of a round of decoding or of an update: it goes on with the same bits, and
// is repeated with the same bits if it was dropped.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { Session } from '../../src/session/run/session.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { openWorld } from '../../src/worlds/registry.ts';

const micro = parseExperiment({ ...JSON.parse(readFileSync('experiments/micro.json', 'utf8')), steps: 2 });
const folder = mkdtempSync(join(tmpdir(), 'tabgym-held-'));
const store = new RunStore(new FolderStore(folder));
let device: WasmDevice;
let reference: StepRecord[];

/** Every slice is one chunk a thread, so a step can be held at thousands of places. */
beforeAll(async () => {
  device = await WasmDevice.open({ threads: 2, mostMsWithoutTurn: 0 });
  const { session, records } = await newSession();
  await session.train();
  await session.close();
  reference = await records();
});

afterAll(() => {
  device.destroy();
  rmSync(folder, { recursive: true, force: true });
});

async function newSession() {
  const { id } = await store.create({ name: 'a run', experiment: micro, origin: { kind: 'new' } });
  const engines = new Assembly({ machine: { open: async () => device }, openWorld });
  const session = new Session(id, micro, { store, engines, emit: () => {}, sleep: async () => {} });
  return { session, records: async () => (await store.records<StepRecord>(id)).map(withoutTimes) };
}

const statusOf = (session: Session) => session.status;
const milliseconds = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('goes on with the same bits, however often it is held', async () => {
  const { session, records } = await newSession();
  let holds = 0;
  let training = session.train();
  while (statusOf(session) !== 'finished') {
    await milliseconds(5 + 17 * (holds % 7));
    if (statusOf(session) !== 'running') continue;
    await session.pause({ holds: true });
    if (statusOf(session) === 'finished') break;
    holds++;
    training = session.train();
  }
  await training;
  await session.close();
  expect(holds).toBeGreaterThan(0);
  expect(await records()).toEqual(reference);
});

it('is repeated with the same bits after it was dropped', async () => {
  const { session, records } = await newSession();
  for (let drops = 0; statusOf(session) !== 'finished'; drops++) {
    void session.train();
    while (statusOf(session) !== 'running' && statusOf(session) !== 'finished') await milliseconds(1);
    // Later each time, so that the step is dropped in its rollout, in its update, and at last not at all.
    await milliseconds(20 * 1.5 ** drops);
    await session.pause({ holds: true });
    if (statusOf(session) === 'paused') await session.watch({ split: 'train', taskIndex: 0, turnMs: 0 });
  }
  await session.close();
  expect(await records()).toEqual(reference);
});
