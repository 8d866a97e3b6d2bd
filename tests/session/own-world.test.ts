// A run in a typed world: its code is part of the experiment, a tiny policy reads its texts, and a run that is resumed
// has the records of one that was not.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { CodeNotAllowedError } from '../../src/cli/allowances.ts';
import { train as trainFile } from '../../src/cli/training-run.ts';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { customCodeOf } from '../../src/experiment/custom-code.ts';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { readWorldFile, writeWorldFile } from '../../src/experiment/world-file.ts';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { StepRecord } from '../../src/session/protocol.ts';
import { Session } from '../../src/session/run/session.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { spawnNodeSandbox } from '../../src/workers/spawn-sandbox.ts';
import { templates } from '../../src/worlds/own-world/templates.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { buildNodeWorker } from '../envs/helpers.ts';

const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
const typed = (code: string, more: object = {}): Experiment =>
  parseExperiment({ ...micro, steps: 3, worlds: [{ name: 'own-world', weight: 1, options: { code } }], ...more });
const ownReward = {
  parts: [
    { kind: 'function', name: 'own', code: 'export const reward = ({ score, turns }) => score - 0.1 * turns.length;' },
  ],
};
const folder = mkdtempSync(join(tmpdir(), 'tabgym-own-world-'));
const store = new RunStore(new FolderStore(folder));

let sandboxFile = '';
beforeAll(async () => {
  await buildWasm();
  sandboxFile = await buildNodeWorker('src/workers/sandbox-worker.ts');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function trained(parts: readonly number[]) {
  const experiment = typed(templates.vending, { reward: ownReward });
  const { id } = await store.create({ name: 'a run', experiment, origin: { kind: 'new' } });
  for (const steps of parts) {
    const device = await WasmDevice.open();
    const engines = new Assembly({
      machine: { open: async () => device },
      openWorld,
      openSandbox: () => new Sandbox(() => spawnNodeSandbox(sandboxFile)),
    });
    const session = new Session(id, experiment, { store, engines, emit: () => {} });
    await session.train({ steps });
    await session.close();
    device.destroy();
  }
  const records = await store.records<StepRecord>(id);
  const kept = ({ step, metrics, evaluation }: StepRecord) => [
    step,
    metrics.loss,
    metrics.success,
    metrics.gradNorm,
    metrics['reward.own'],
    evaluation,
  ];
  return { records: records.map(kept), weights: (await store.checkpoint(id))!.bytes };
}

describe('an experiment with a typed world', () => {
  it('lists its code, and carries the whole text', () => {
    expect(customCodeOf(typed('export const a = 1;'))).toEqual([
      { path: 'worlds.0.options.code', code: 'export const a = 1;' },
    ]);
  });

  it('is refused on the command line without --allow-code, also from a file of its own', async () => {
    const worldFile = 'src/worlds/own-world/templates/nim.js';
    const failed = trainFile({
      file: 'experiments/micro.json',
      worldFile,
      out: folder,
      device: 'wasm',
      print: () => {},
    });
    await expect(failed).rejects.toThrow(CodeNotAllowedError);
    await expect(failed).rejects.toThrow(/worlds\.0\.options\.code.*--allow-code/);
  });

  it('resumes exactly, with a typed reward', async () => {
    const whole = await trained([3]);
    expect(whole.records.at(-1)?.[4]).toBeLessThan(1);
    expect(await trained([1, 2])).toEqual(whole);
  });
});

describe('a .tabworld file', () => {
  it('keeps name, code and options', () => {
    const world = { name: 'Tea', options: { code: templates.vending, seed: 3 } };
    expect(readWorldFile(writeWorldFile(world), 'tea.tabworld')).toMatchObject({ name: 'Tea', options: world.options });
  });
  it.each([
    ['no JSON', 'hello', /mine\.tabworld is not a \.tabworld file/],
    ['another form', '{"format":"tabgym-run-1"}', /form tabgym-world-1: format/],
    ['an unknown option', '{"format":"tabgym-world-1","name":"a","options":{"cod":"1"}}', /there is no such option/],
    [
      'too long a code',
      JSON.stringify({ format: 'tabgym-world-1', name: 'a', options: { code: 'x'.repeat(70_000) } }),
      /at most 65,536/,
    ],
  ])('is refused: %s', (_, text, message) => {
    expect(() => readWorldFile(text, 'mine.tabworld')).toThrow(message);
  });
});
