// A run whose experiment carries its objective as code. Unedited code gives the records of the built-in objective. Code
// that fails stops the run at its last step; the run continues from there once the code is fixed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { customCodeOf } from '../../src/experiment/custom-code.ts';
import { type Experiment, ExperimentError, parseExperiment } from '../../src/experiment/experiment.ts';
import { longestCode } from '../../src/rl/algorithms/registry.ts';
import { objectiveText } from '../../src/rl/objective-code/text/index.ts';
import { defaultLimits, Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SessionEvent, StepRecord } from '../../src/session/protocol.ts';
import { Session } from '../../src/session/run/session.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { forkRun } from '../../src/session/service/fork.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { spawnNodeSandbox } from '../../src/workers/spawn-sandbox.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { buildNodeWorker } from '../envs/helpers.ts';

const micro = parseExperiment({ ...JSON.parse(readFileSync('experiments/micro.json', 'utf8')), steps: 3 });
const text = objectiveText(micro.algorithm);
const folder = mkdtempSync(join(tmpdir(), 'tabgym-own-objective-'));
const store = new RunStore(new FolderStore(folder));
let worker = '';

const withCode = (objectiveCode: string): Experiment =>
  parseExperiment({ ...micro, algorithm: { ...micro.algorithm, objectiveCode } });

const newRun = async (experiment: Experiment) =>
  (await store.create({ name: 'a run', experiment, origin: { kind: 'new' } })).id;

async function train(id: string, { steps, sandboxed = true }: { steps?: number; sandboxed?: boolean } = {}) {
  const { experiment } = await store.get<Experiment>(id);
  const statuses: SessionEvent[] = [];
  const device = await WasmDevice.open();
  const openSandbox = () => new Sandbox(() => spawnNodeSandbox(worker), { ...defaultLimits, deadlineMs: 1000 });
  const engines = new Assembly({
    machine: { open: async () => device },
    openWorld,
    ...(sandboxed ? { openSandbox } : {}),
  });
  const emit = (event: SessionEvent) => void (event.type === 'status' && statuses.push(event));
  const session = new Session(id, experiment, { store, engines, emit });
  const error = await session.train({ steps }).then(
    () => null,
    (failure: Error) => failure,
  );
  await session.close();
  device.destroy();
  return { error, last: statuses.at(-1) as Extract<SessionEvent, { type: 'status' }> };
}

/** Records without times and costs. */
async function learnt(id: string) {
  const cost = /Ms$|PerSecond$|dispatches|submissions|readbacks|flops|buffers|tokensTrained/i;
  return (await store.records<StepRecord>(id)).map(({ metrics, ...record }) => ({
    ...record,
    metrics: Object.fromEntries(Object.entries(metrics).filter(([name]) => !cost.test(name))),
  }));
}

async function weightsOf(id: string): Promise<Uint8Array> {
  return (await store.checkpoint(id))!.bytes;
}

beforeAll(async () => {
  await buildWasm();
  worker = await buildNodeWorker('src/workers/sandbox-worker.ts');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an experiment with its own objective', () => {
  it('carries its code, and lists the field that contains it', () => {
    expect(customCodeOf(withCode(text))).toEqual([{ path: 'algorithm.objectiveCode', code: text }]);
    expect(customCodeOf(micro)).toEqual([]);
    const staged = { ...micro, stages: [{ steps: 1, algorithm: { ...micro.algorithm, objectiveCode: 'x' } }] };
    expect(customCodeOf(parseExperiment(staged))).toEqual([{ path: 'stages.0.algorithm.objectiveCode', code: 'x' }]);
  });

  it('is refused if the code is too long or empty', () => {
    expect(() => withCode('x'.repeat(longestCode + 1))).toThrow(ExperimentError);
    expect(() => withCode('')).toThrow(/algorithm\.objectiveCode/);
  });

  it('gives the records and the weights of the built-in objective, bit for bit', async () => {
    const [own, built] = [await newRun(withCode(text)), await newRun(micro)];
    for (const id of [own, built]) expect((await train(id)).error).toBeNull();
    expect(await learnt(own)).toEqual(await learnt(built));
    expect((await learnt(own)).at(-1)?.metrics.gradNorm).toBeGreaterThan(0);
    expect(Buffer.compare(await weightsOf(own), await weightsOf(built))).toBe(0);
  });

  it('gives another run after a change', async () => {
    const [own, built] = [
      await newRun(withCode(text.replace('-coefficient[i] * settings.entropy', '0'))),
      await newRun(micro),
    ];
    for (const id of [own, built]) expect((await train(id, { steps: 1 })).error).toBeNull();
    expect(Buffer.compare(await weightsOf(own), await weightsOf(built))).not.toBe(0);
  });

  it('is refused if there is no sandbox', async () => {
    const { error } = await train(await newRun(withCode(text)), { steps: 1, sandboxed: false });
    expect(error?.name).toBe('NoSandboxError');
  });
});

/** Fails only in the second update of a step, after the first update has changed the weights. */
const later = (what: string) =>
  text.replace('const ratioAt = ratiosOf(rows);', `const ratioAt = ratiosOf(rows);\n  if (rows.group[0] > 0) ${what}`);

describe('code that fails in the middle of a step', () => {
  it.each([
    ['throws', 'throw new Error("no");', 'CodeError', /objective\.js, line \d+, column \d+: Error: no/],
    ['never ends', 'while (1);', 'SandboxTimeoutError', /did not end within 1 s/],
    ['wants all memory', 'new ArrayBuffer(2 ** 30);', 'SandboxMemoryError', /64 MB/],
    ['reads a variable before its definition', 'bounds.high = NaN;', 'CodeError', /bounds/],
    [
      'gives too few numbers',
      'return { loss: [1], weight: [1] };',
      'ObjectiveShapeError',
      /loss has 1 numbers for \d+ rows/,
    ],
    ['gives nothing', 'return;', 'ObjectiveShapeError', /returned undefined/],
    [
      'divides by zero',
      'return { loss: logprob, weight: logprob.map((x, i) => i === 2 ? x / 0 : x) };',
      'ObjectiveValueError',
      /weight is -Infinity in row 2/,
    ],
    [
      'returns an unknown metric',
      'return { loss: logprob, weight: logprob, metrics: { success: 1 } };',
      'ObjectiveShapeError',
      /metrics\.success/,
    ],
  ])('%s', async (_, what, name, pattern) => {
    const id = await newRun(micro);
    expect((await train(id, { steps: 1 })).error).toBeNull();
    const before = await weightsOf(id);
    const broken = await forkRun(store, id, 1, withCode(later(what)));
    const { error, last } = await train(broken);
    expect(error?.name).toBe(name);
    expect(error?.message).toMatch(pattern);
    expect([last.status, last.detail]).toEqual(['failed', error?.message]);
    expect((await store.get(broken)).step).toBe(1);
    expect(Buffer.compare(await weightsOf(broken), before)).toBe(0);
  });

  it('continues after a fix like a run that never failed', async () => {
    const [id, whole] = [await newRun(withCode(later('throw 1;'))), await newRun(micro)];
    expect((await train(id)).error?.message).toMatch(/the code threw 1. The run is paused at its last step/);
    const mended = await forkRun(store, id, 0, withCode(text));
    expect((await train(mended, { steps: 2 })).error).toBeNull();
    expect((await train(whole, { steps: 2 })).error).toBeNull();
    expect(Buffer.compare(await weightsOf(mended), await weightsOf(whole))).toBe(0);
  });
});
