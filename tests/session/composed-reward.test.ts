// A run with a composed reward: its parts in records and stored trajectories, its code in the sandbox with the limits
// of time and memory, exact resume, and the document with its consent.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { CodeNotAllowedError, requireAllowances, requireCodeAllowed } from '../../src/cli/allowances.ts';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { customCodeOf } from '../../src/experiment/custom-code.ts';
import { type Experiment, ExperimentError, parseExperiment } from '../../src/experiment/experiment.ts';
import { defaultLimits, Sandbox } from '../../src/sandbox/sandbox.ts';
import type { StepRecord } from '../../src/session/protocol.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { Session } from '../../src/session/run/session.ts';
import { decodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { spawnNodeSandbox } from '../../src/workers/spawn-sandbox.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { buildNodeWorker } from '../envs/helpers.ts';

const micro = { ...JSON.parse(readFileSync('experiments/micro.json', 'utf8')), steps: 2 };
const folder = mkdtempSync(join(tmpdir(), 'tabgym-composed-reward-'));
const store = new RunStore(new FolderStore(folder));
let worker = '';

const withReward = (...parts: object[]): Experiment => parseExperiment({ ...micro, reward: { parts } });
const codePart = (body: string) => ({
  kind: 'function',
  name: 'own',
  code: `export function reward(episode) { ${body} }`,
});
const three = withReward(
  { kind: 'progress' },
  { kind: 'pattern', pattern: '^get', in: 'actions', counts: 'share', weight: 0.5 },
  codePart('return episode.turns.length / episode.horizon;'),
);

const newRun = async (experiment: Experiment) =>
  (await store.create({ name: 'a run', experiment, origin: { kind: 'new' } })).id;

async function train(id: string, steps?: number): Promise<Error | null> {
  const { experiment } = await store.get<Experiment>(id);
  const device = await WasmDevice.open();
  const openSandbox = () => new Sandbox(() => spawnNodeSandbox(worker), { ...defaultLimits, deadlineMs: 1000 });
  const engines = new Assembly({ machine: { open: async () => device }, openWorld, openSandbox });
  const session = new Session(id, experiment, { store, engines, emit: () => {} });
  const error = await session.train({ steps }).then(
    () => null,
    (failure: Error) => failure,
  );
  await session.close();
  device.destroy();
  return error;
}

beforeAll(async () => {
  await buildWasm();
  worker = await buildNodeWorker('src/workers/sandbox-worker.ts');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a run with a composed reward', () => {
  it('records its parts, stores them with the trajectories, and resumes exactly', async () => {
    const [whole, halves] = [await newRun(three), await newRun(three)];
    expect(await train(whole)).toBeNull();
    expect([await train(halves, 1), await train(halves)]).toEqual([null, null]);
    const recordsOf = async (id: string) => (await store.records<StepRecord>(id)).map(withoutTimes);
    expect(await recordsOf(halves)).toEqual(await recordsOf(whole));
    const bytesOf = async (id: string) => (await store.checkpoint(id))!.bytes;
    expect(Buffer.compare(await bytesOf(halves), await bytesOf(whole))).toBe(0);
    const last = (await store.records<StepRecord>(whole)).at(-1)!;
    expect(Object.keys(last.metrics).filter((name) => name.startsWith('reward'))).toEqual([
      'reward',
      'reward.progress',
      'reward.pattern',
      'reward.own',
    ]);
    const stored = decodeTrajectories((await store.trajectories(whole, 2))!);
    for (const { rewards, score, turns, horizon } of stored) {
      expect(rewards!.parts.progress).toBe(score);
      expect(rewards!.parts.own).toBe(turns.length / horizon);
      expect(rewards!.total).toBe(score + 0.5 * rewards!.parts.pattern! + turns.length / horizon);
    }
  });

  it.each([
    ['never ends', codePart('while (1);'), 'SandboxTimeoutError', /reward\.js.*did not end within 1 s/],
    ['wants all memory', codePart('return new ArrayBuffer(2 ** 30).byteLength;'), 'SandboxMemoryError', /64 MB/],
    ['throws', codePart('return episode.steps.length;'), 'CodeError', /reward\.js, line 1, column \d+: TypeError/],
    ['throws in a getter', codePart('throw { get message() { while (1); } };'), 'SandboxTimeoutError', /1 s/],
    ['reaches for the page', codePart('return fetch("/");'), 'CodeError', /fetch/],
    [
      'changes the built-ins',
      codePart('Number.isFinite = () => true; JSON.parse = null; return NaN;'),
      'RewardValueError',
      /returned NaN/,
    ],
    ['draws at random', codePart('return Math.random();'), 'CodeError', /Math\.random is not available/],
    [
      'has a pattern that takes for ever',
      { kind: 'pattern', pattern: '(\\w+\\s?)+!', in: 'observations' },
      'SandboxTimeoutError',
      /1 s/,
    ],
  ])('code that %s stops the step by name', async (_, part, name, pattern) => {
    const id = await newRun(withReward(part));
    const error = await train(id, 1);
    expect([error?.name, error?.message]).toEqual([name, expect.stringMatching(pattern)]);
    expect((await store.get(id)).step).toBe(0);
  });

  it('carries its code for consent, and its judge for permission', () => {
    expect(customCodeOf(three).map(({ path }) => path)).toEqual(['reward.parts.2.code']);
    expect(() => requireCodeAllowed([three])).toThrow(CodeNotAllowedError);
    expect(() => requireCodeAllowed([three], true)).not.toThrow();
    const judged = withReward({ kind: 'judge', model: 'm', address: 'http://judge.example/v1' });
    expect(() => requireAllowances([judged], {})).toThrow(/http:\/\/judge\.example\/v1.*--allow-judge/);
    expect(() => requireAllowances([judged], { allowJudge: 'http://judge.example/v1/' })).not.toThrow();
    expect(() => withReward({ kind: 'judge', model: 'm', address: 'http://me:key@judge.example' })).toThrow(
      ExperimentError,
    );
  });
});
