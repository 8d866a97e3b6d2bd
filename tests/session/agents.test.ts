// Shipped agents: packed runs, cards, the gallery's list, and complete folders on the site. No agent is trained on a
// task that it is measured on.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { cardOf, listedOf, partsOf } from '../../src/cli/agents/card.ts';
import { readRecipe, recipeNames } from '../../src/cli/agents/recipe.ts';
import { withRoomlessFailures } from '../../src/cli/agents/ship.ts';
import { readDocument } from '../../src/cli/training-run.ts';
import type { Task } from '../../src/envs/env.ts';
import { type Experiment, ExperimentError, parseExperiment } from '../../src/experiment/experiment.ts';
import { mostBytes, packRun, thinned } from '../../src/library/node/packed-run.ts';
import { firstMoment, hasMoments } from '../../src/policy/moments.ts';
import type { TensorMap } from '../../src/policy/policy.ts';
import { rateOf, type StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { gainOf } from '../../src/rl/evaluation/gain.ts';
import type { SuiteReport } from '../../src/rl/evaluation/suite-report.ts';
import { rowsOf } from '../../src/rl/evaluation/suite-results.ts';
import { decodeState, encodeState } from '../../src/session/checkpoint.ts';
import { findSuite, withPolicyOptions } from '../../src/session/evaluation/suite-evaluation.ts';
import { AgentDocumentError, improvedExperiment, readAgent, readGallery } from '../../src/session/shipped-agent.ts';
import { getRun } from '../../src/session/stored-run.ts';
import { readRun } from '../../src/store/bundle.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { worldModule } from '../../src/worlds/registry.ts';
import { hasWorlds } from '../worlds.ts';

const site = 'public/agents';
const shipped = readdirSync(site).filter((name) => statSync(join(site, name)).isDirectory());
const experimentsOf = (name: string): Experiment[] => readRecipe(name).experiments.map(readDocument);
const json = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'));
/** TextCraft's agent: imitation, then reward under a growing horizon. */
const agent = () =>
  parseExperiment({
    ...json('experiments/textcraft-first.json'),
    steps: 1000,
    stages: [{ steps: 750, algorithm: { name: 'sft', groups: 12, groupSize: 2 } }],
    horizon: [
      { steps: 850, turns: 8 },
      { steps: 100, turns: 13 },
      { steps: 50, turns: 20 },
    ],
  });

let folder: string;
beforeAll(async () => {
  await buildWasm();
  folder = mkdtempSync(join(tmpdir(), 'tabgym-agents-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const values = Float32Array.from({ length: 6 }, (_, i) => (i - 2) / 3);
const tensors = (): TensorMap =>
  new Map([
    ['model.norm.weight', { shape: [6], data: values }],
    [`${firstMoment}model.norm.weight`, { shape: [6], data: values }],
  ]);
const record = (step: number, evaluated = false): StepRecord => ({
  step,
  stage: 3,
  metrics: { success: 0.5, flops: 10, stepMs: 36e5, episodes: 4 },
  ...(evaluated ? { evaluation: { train: { policy: { rate: 0.75 } }, test: {} } as StepRecord['evaluation'] } : {}),
});

describe('a packed run', () => {
  const bytes = new TextEncoder();
  async function packed() {
    const store = new RunStore(new FolderStore(mkdtempSync(join(folder, 'run-'))));
    const meta = { step: 500, optimizerStep: 500, kernelChoices: { a: 1 }, batchPlan: {}, adapter: 'a processor' };
    const { id } = await store.create({
      name: 'an agent',
      experiment: agent(),
      origin: { kind: 'new' },
      step: 500,
      records: Array.from({ length: 501 }, (_, step) => record(step, step === 500)),
      checkpoints: [{ meta, bytes: encodeState({ tensors: tensors(), optimizerStep: 500 }) }],
      assets: {
        'config.json': bytes.encode('{}'),
        'tokenizer.json': bytes.encode('{"model":{"vocab":{"a":0,"b":1}}}'),
        'reference.safetensors': encodeState({ tensors: tensors(), optimizerStep: 0 }),
      },
    });
    return packRun(store, await getRun(store, id));
  }

  it('is a run with its weights in 16 bits, no moments, no reference, and few records', async () => {
    const { bytes: file, parameters, words, device } = await packed();
    expect({ parameters, words, device }).toEqual({ parameters: 6, words: 2, device: 'a processor' });
    const run = readRun(file, 'agent.tabgym');
    const [checkpoint] = run.checkpoints!;
    const state = decodeState(checkpoint.bytes, 0);
    expect(hasMoments(state.tensors)).toBe(false);
    expect(Object.keys(run.assets!)).toEqual(['config.json', 'tokenizer.json']);
    const back = state.tensors.get('model.norm.weight')!.data;
    values.forEach((value, i) => expect(Math.abs(back[i] - value)).toBeLessThanOrEqual(Math.abs(value) * 2 ** -11));
    expect(Array.from(back)).not.toEqual(Array.from(values));
    expect({ step: run.step, success: run.success }).toEqual({ step: 500, success: 0.75 });
    expect(run.records!.length).toBeLessThanOrEqual(241);
    expect(run.records!.at(-1)!.step).toBe(500);
    expect(parseExperiment(run.experiment)).toEqual(agent());
  });

  it('names the model of an adapter by its listed name, and leaves out the files of the model', async () => {
    const store = new RunStore(new FolderStore(mkdtempSync(join(folder, 'run-'))));
    const document = readDocument('experiments/smollm2-textcraft.json');
    const experiment = parseExperiment({ ...document, policy: { ...document.policy, model: '/models/a.Q4_1.gguf' } });
    const meta = { step: 2, optimizerStep: 2, kernelChoices: {}, batchPlan: {}, adapter: 'a processor' };
    const { id } = await store.create({
      name: 'an adapter',
      experiment,
      origin: { kind: 'new' },
      step: 2,
      records: [record(0), record(1), record(2, true)],
      checkpoints: [{ meta, bytes: encodeState({ tensors: tensors(), optimizerStep: 2 }) }],
      assets: {
        'config.json': bytes.encode('{}'),
        'tokenizer.json': bytes.encode('{"model":{"vocab":{"a":0}}}'),
        'tokenizer_config.json': bytes.encode('{"chat_template":"{{ messages }}"}'),
      },
    });
    const packedRun = await packRun(store, await getRun(store, id), 'smollm2-135m');
    const run = readRun(packedRun.bytes, 'agent.tabgym');
    expect(parseExperiment(run.experiment)).toEqual(document);
    expect(Object.keys(run.assets ?? {})).toEqual([]);
    expect(packedRun.words).toBe(1);
    expect(new TextDecoder().decode(packedRun.bytes)).not.toContain('/models/');
  });

  it('contains the policy after imitation as well, if both together are small enough', async () => {
    const store = new RunStore(new FolderStore(mkdtempSync(join(folder, 'run-'))));
    const meta = (step: number) => ({ step, optimizerStep: step, kernelChoices: {}, batchPlan: {}, adapter: 'a' });
    const split = (outcomes: string) => {
      const successes = [...outcomes].filter((each) => each === '1').length;
      return { policy: rateOf(successes, outcomes.length), strata: {}, outcomes };
    };
    const evaluated = (step: number, metrics: StepRecord['metrics'], outcomes: string) =>
      ({ step, stage: 3, metrics, evaluation: { train: split('1'), test: split(outcomes) } }) as unknown as StepRecord;
    const { id } = await store.create({
      name: 'an agent',
      experiment: agent(),
      origin: { kind: 'new' },
      step: 2,
      records: [evaluated(1, { demonstrations: 2 }, '0011'), evaluated(2, { success: 1 }, '0111')],
      checkpoints: [1, 2].map((step) => ({
        meta: meta(step),
        bytes: encodeState({ tensors: tensors(), optimizerStep: step }),
      })),
      assets: { 'tokenizer.json': bytes.encode('{"model":{"vocab":{"a":0}}}') },
    });
    const run = readRun((await packRun(store, await getRun(store, id))).bytes, 'agent.tabgym');
    expect(run.checkpoints!.map((each) => each.meta.step)).toEqual([1, 2]);
    for (const each of run.checkpoints!) expect(hasMoments(decodeState(each.bytes, 0).tensors)).toBe(false);
  });

  it('is the same bytes each time', async () => {
    expect((await packed()).bytes).toEqual((await packed()).bytes);
  });

  it('keeps every evaluation and both ends of the curves', () => {
    const records = Array.from({ length: 1000 }, (_, step) => record(step, step === 333));
    const steps = thinned(records, 100).map(({ step }) => step);
    expect(steps).toHaveLength(102);
    expect([steps[0], steps.includes(333), steps.at(-1)]).toEqual([0, true, 999]);
    expect(thinned(records.slice(0, 50), 100)).toHaveLength(50);
  });
});

it('counts a try without room as a failure', () => {
  const one = (success: boolean, overflowed: boolean) => ({ success, overflowed, score: Number(success), turns: 3 });
  const tries = [one(true, false), one(false, false), one(false, true), one(false, true)];
  const items = [{ key: 'a', column: 'A', tries, chance: [], oracle: null }];
  const rows = rowsOf(items, ['A']);
  expect(rows.at(-1)!.success.mean).toBe(0.5);
  const counted = withRoomlessFailures({ items, rows } as unknown as SuiteReport, ['A']);
  expect(counted.rows.map(({ success }) => success.mean)).toEqual([0.25, 0.25]);
});

describe('the parts of an agent’s run', () => {
  it('are the stages it reached, with the steps and horizons it reached', () => {
    const experiment = agent();
    const [{ steps: imitationSteps }] = experiment.stages!;
    expect(partsOf(experiment, experiment.steps)).toEqual([
      `Steps 1 to ${imitationSteps}: SFT.`,
      `Steps ${imitationSteps + 1} to ${experiment.steps}: GRPO, within 8 turns, then 13 turns, then 20 turns.`,
    ]);
    expect(partsOf(experiment, 701)).toEqual([`Steps 1 to 701: SFT, stopped before its end at ${imitationSteps}.`]);
    expect(partsOf(experiment, imitationSteps + 1)).toHaveLength(2);
    // Stages of the horizon that fall into the imitation are not listed for the part after it.
    const earlier = [
      { steps: 1, turns: 1 },
      { steps: imitationSteps - 1, turns: 30 },
      { steps: 50, turns: 10 },
      { steps: 100, turns: 20 },
    ];
    expect(partsOf({ ...experiment, horizon: earlier }, experiment.steps)[1]).toMatch(
      /within 10 turns, then 20 turns\.$/,
    );
  });
});

describe('improving an agent', () => {
  const improve = { words: '', steps: 40, changes: { 'worlds.0.weight': 0.25 } };
  it('adds steps and applies the requested changes', () => {
    const experiment = agent();
    const better = improvedExperiment(experiment, experiment.steps, improve);
    expect(better.steps).toBe(experiment.steps + 40);
    expect(better.stages).toEqual(experiment.stages);
    expect(better.worlds[0].weight).toBe(0.25);
    expect(better.policy).toEqual(experiment.policy);
    expect(experiment.worlds[0].weight).not.toBe(0.25);
  });
  it('ends imitation at the step where the agent stopped in the middle of it', () => {
    const better = improvedExperiment(agent(), 300, improve);
    expect(better.steps).toBe(340);
    expect(better.stages!.map(({ steps }) => steps)).toEqual([300]);
    expect(improvedExperiment(agent(), 0, improve).stages).toEqual([]);
  });
  it('refuses changes that make an invalid experiment', () => {
    const changes = { 'worlds.0.weight': -1 };
    expect(() => improvedExperiment(agent(), agent().steps, { ...improve, changes })).toThrow(ExperimentError);
  });
});

describe.skipIf(!hasWorlds('babyai'))('a suite', () => {
  const babyai = () => readDocument('experiments/babyai-agent.json');
  it('uses the observation form that the policy learnt, and keeps its other options', () => {
    const found = findSuite('babyai-test');
    const { suite } = withPolicyOptions(babyai(), found);
    expect(suite.options).toEqual({ ...found.suite.options, observation: 'compact' });
    const other = withPolicyOptions(readDocument('experiments/textcraft-first.json'), found);
    expect(other.suite.options).toEqual(found.suite.options);
  });
  it('opens with the instruction that the policy was trained with', () => {
    const experiment = babyai();
    experiment.worlds[0].options = { ...experiment.worlds[0].options, instruction: '' };
    const found = findSuite('babyai-test');
    expect(withPolicyOptions(experiment, found).suite.options).toMatchObject({
      ...found.suite.options,
      instruction: '',
    });
  });
});

describe('the site', () => {
  it('lists exactly the agents that it has', () => {
    const gallery = readGallery(json(site, 'index.json'));
    expect(gallery.map(({ name }) => name)).toEqual([...shipped].sort());
    for (const listed of gallery) expect(listed).toEqual(listedOf(readAgent(json(site, listed.name, 'agent.json'))));
  });

  it.each(shipped)(
    '%s is complete: a run that opens, no larger than allowed, with the card of its document',
    (name) => {
      const agent = readAgent(json(site, name, 'agent.json'));
      const file = join(site, name, agent.file);
      expect([statSync(file).size, agent.name]).toEqual([agent.bytes, name]);
      const run = readRun(new Uint8Array(readFileSync(file)), agent.file);
      expect(agent.bytes).toBeLessThan(mostBytes(parseExperiment(run.experiment)));
      expect(run.step).toBe(agent.cost.steps);
      expect(agent.parts).toEqual(partsOf(parseExperiment(run.experiment), run.step!));
      expect(readFileSync(join(site, name, 'card.md'), 'utf8')).toBe(cardOf(agent));
      expect(parseExperiment(run.experiment).worlds.some((world) => world.name === agent.world)).toBe(true);
      const { policy } = parseExperiment(run.experiment);
      // An adapter names its model by its listed name, never by a place on the machine that trained it.
      expect('model' in policy ? policy.model : undefined).toBe(agent.base?.model);
      const { tensors } = decodeState(run.checkpoints![0].bytes, 0);
      const { data } = agent.base ? [...tensors.values()].at(-1)! : tensors.get('model.embed_tokens.weight')!;
      expect(data.every(Number.isFinite)).toBe(true);
      expect(data.some((value) => value > (agent.base ? 1e-4 : 0.01))).toBe(true);
      expect(agent.gain ?? null).toEqual(gainOf(run.records as StepRecord[]));
      expect(agent.reward).toBe(readRecipe(name).reward);
      const headline = agent.headline!;
      expect(headline.success.mean).toBe(agent.suites[0].rows.at(-1)!.success.mean);
    },
  );

  it('refuses a document of another form by name', () => {
    expect(() => readAgent({ format: 'tabgym-shipped-agent-0' })).toThrow(AgentDocumentError);
    expect(() => readGallery({ format: 'tabgym-agents-1', agents: [{ name: 1 }] })).toThrow(/agents\.0\./);
  });
});

describe('held-out tasks', () => {
  /**
   * Key of a task. Made-up TextCraft tasks are distinguished by their list seed; none of them has a goal of the
   * original.
   */
  const key = ({ world, id, strata, options }: Task) =>
    options.madeUp ? `${world} made up ${options.listSeed}` : `${world} ${id} ${strata.universe ?? ''}`;

  it.each(recipeNames())('%s is not trained on any task that it is measured on', async (name) => {
    const suites = readRecipe(name).suites.map((each) => findSuite(each.name));
    for (const experiment of experimentsOf(name)) {
      for (const { name: world, options } of experiment.worlds) {
        const opened = await worldModule(world).open({});
        const met = new Set((await opened.tasks(options, 'train')).map(key));
        const measuredTasks = await opened.tasks(options, 'test');
        for (const { suite } of suites.filter((found) => found.module.name === world))
          measuredTasks.push(...(await opened.tasks(suite.options, suite.split)));
        expect(met.size).toBeGreaterThan(0);
        expect(measuredTasks.length).toBeGreaterThan(0);
        expect(measuredTasks.filter((task) => met.has(key(task)))).toEqual([]);
        await opened.close();
      }
    }
  });
});
