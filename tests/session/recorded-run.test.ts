// A run that imitates a file before it plays, on the real engine with TextCraft. It learns from the trajectories that
// map to our tasks, reports the others by line, and, stopped in between, continues with the same numbers from its own
// copy of the file.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import type { SessionEvent } from '../../src/session/protocol.ts';
import { recordingsFor } from '../../src/session/run/recording-files.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { Session } from '../../src/session/run/session.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { openWorld } from '../../src/worlds/registry.ts';

const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
const experiment = parseExperiment({
  ...micro,
  steps: 5,
  stages: [{ steps: 3, algorithm: { name: 'sft', groups: 2, groupSize: 2, file: 'play.jsonl' }, learningRate: 0.005 }],
});
const folder = mkdtempSync(join(tmpdir(), 'tabgym-recorded-'));
const store = new RunStore(new FolderStore(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * A file in AgentGym's training form: the oracle's play of training goals, of one held-out goal, and one trajectory
 * with an action that the world does not offer.
 */
async function play(): Promise<Uint8Array> {
  const world = await openWorld('textcraft');
  const { options } = experiment.worlds[0];
  const [train, test] = [await world.tasks(options, 'train'), await world.tasks(options, 'test')];
  const tasks = [...train.slice(0, 6), test[0]];
  const slots = tasks.map((_, i) => i);
  const first = await world.reset(slots, tasks);
  const plans = await world.oracle(slots);
  await world.close();
  const lines = tasks.map(({ id }, i) => ({
    item_id: `textcraft_${id}`,
    conversations: [
      { from: 'human', loss: null, value: first[i].observation },
      ...plans[i]!.flatMap((action) => [
        { from: 'gpt', loss: true, value: `Thought:\nNow.\n\nAction:\n${action}` },
        { from: 'human', loss: null, value: 'Yes.' },
      ]),
    ],
  }));
  const sung = JSON.parse(JSON.stringify(lines[0]).replaceAll(plans[0]![0], 'sing 1 song'));
  return new TextEncoder().encode([...lines, sung].map((line) => JSON.stringify(line)).join('\n'));
}

async function newRun(file: Uint8Array): Promise<string> {
  const assets = await recordingsFor(experiment, async () => file);
  return (await store.create({ name: 'a run', experiment, origin: { kind: 'new' }, assets })).id;
}

async function trained(id: string, steps?: number): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  const device = await WasmDevice.open({ threads: 1 });
  const engines = new Assembly({ machine: { open: async () => device }, openWorld });
  const session = new Session(id, experiment, { store, engines, emit: (event) => events.push(event) });
  await session.train({ steps });
  await session.close();
  device.destroy();
  return events;
}

const recordsOf = async (id: string) => (await store.records<StepRecord>(id)).map(withoutTimes);

it('learns from the trajectories that map, reports the others, then plays, and resumes exactly', async () => {
  const file = await play();
  const [whole, stopped] = [await newRun(file), await newRun(file)];
  const notices = (await trained(whole)).filter((event) => event.type === 'notice');
  expect(notices).toHaveLength(1);
  expect(notices[0]).toMatchObject({ level: 'warning' });
  expect(notices[0].message).toMatch(
    /^6 of the 8 trajectories of play.jsonl can be learnt from. Line 7: textcraft_\d+ is not a training task/,
  );
  expect(notices[0].message).toMatch(
    /Line 8: turn 1: "sing 1 song" is not among the actions that the world offers there/,
  );
  const records = await recordsOf(whole);
  expect(records.slice(1, 4).map(({ metrics }) => metrics.demonstrations)).toEqual([4, 4, 4]);
  expect(records[3].metrics.loss).toBeLessThan(records[1].metrics.loss);
  expect(records[4].metrics.success).toBeGreaterThanOrEqual(0);
  await trained(stopped, 2);
  await trained(stopped);
  expect(await recordsOf(stopped)).toEqual(records);
});

it('fails with a message if nothing of the file maps', async () => {
  const id = await newRun(
    new TextEncoder().encode(
      '{"messages": [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}]}',
    ),
  );
  await expect(trained(id)).rejects.toThrow(
    /Nothing of the 1 trajectories of play.jsonl can be learnt from. Line 1: it names no task/,
  );
});
