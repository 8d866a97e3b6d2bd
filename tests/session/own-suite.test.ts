/** The suite of a run's own held-out tasks: in one world, in several entries of one, and in several worlds. */
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { readDocument } from '../../src/cli/training-run.ts';
import type { World } from '../../src/envs/env.ts';
import type { Suite } from '../../src/envs/suite.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { ownSuite } from '../../src/experiment/own-suite.ts';
import { nodeEngines } from '../../src/library/node/engines.ts';
import { suiteTasks } from '../../src/rl/evaluator.ts';
import { suiteLimit } from '../../src/rl/schedule/horizon.ts';
import { playSuite, suiteReportOf } from '../../src/session/evaluation/suite-evaluation.ts';
import { worldModules } from '../../src/worlds/registry.ts';

beforeAll(() => buildWasm());

const read = (name: string) => readDocument(`experiments/${name}.json`);

/** Tasks of a suite, with its worlds opened for the time. */
async function tasksOf(suite: Suite, name: string) {
  const names = [...new Set((suite.entries ?? [{ name }]).map((entry) => entry.name))];
  const opened = names.map(async (each): Promise<[string, World]> => {
    const module = worldModules.find((one) => one.name === each)!;
    return [each, await module.open({})];
  });
  const worlds = new Map(await Promise.all(opened));
  try {
    return await suiteTasks(suite, worlds, name);
  } finally {
    for (const world of worlds.values()) await world.close();
  }
}

describe('the suite of a run’s own held-out tasks', () => {
  it('has the world, the options and the horizon of the run, and as many tasks as its evaluations', async () => {
    const experiment = read('maze-few');
    const { module, suite } = ownSuite(experiment);
    expect([module.name, suite.split, suite.turns, suite.most]).toEqual(['maze', 'test', 30, 400]);
    const [{ options }] = experiment.worlds;
    expect(suite.entries).toEqual([{ name: 'maze', options, turns: 30 }]);
    const { entries: _, ...ofOneWorld } = suite;
    const all = (await tasksOf(ofOneWorld, 'maze')).map(({ id }) => id);
    const ids = async (most: number) => (await tasksOf({ ...suite, most }, 'maze')).map(({ id }) => id);
    expect(await ids(4)).toEqual([0, 100, 200, 300].map((i) => all[i]));
    expect(await ids(400)).toEqual(all);
  });

  it('has the tasks of all evaluated entries of one world, in one column', async () => {
    const experiment = read('textcraft-agent');
    const { suite } = ownSuite(experiment);
    const evaluated = experiment.worlds.filter(({ evaluated: counts }) => counts !== false);
    expect(suite.entries?.map(({ options }) => options)).toEqual(evaluated.map(({ options }) => options));
    expect(suite.columns).toEqual([]);
    const depths = (await tasksOf({ ...suite, most: 1000 }, 'textcraft')).map(({ strata }) => strata.depth);
    expect([...new Set(depths)].sort()).toEqual([1, 2, 3, 4].filter((depth) => depths.includes(depth)));
    expect(new Set(depths).size).toBeGreaterThan(1);
  });

  it('has the oracle’s turns for each task where the run’s horizon counts from them', () => {
    const { suite } = ownSuite(read('textcraft-first'));
    expect(suite.turns).toBeNull();
    expect(suite.entries?.map(({ turns }) => turns)).toEqual([{ oraclePlus: 1 }]);
    expect(suiteLimit(suite)).toEqual({ worlds: { textcraft: { oraclePlus: 1 } }, others: { oraclePlus: 1 } });
  });

  it('plays each of several worlds within its own turns and gives it a column', { timeout: 120_000 }, async () => {
    const experiment = parseExperiment({
      ...read('maze-first'),
      worlds: [
        { name: 'maze', options: { size: 3, testMazes: 20 }, turns: 2 },
        { name: 'babyai', options: { levels: [1] } },
        { name: 'maze', options: { size: 5 }, turns: 2, evaluated: false },
      ],
      horizon: [{ steps: 1, turns: 5 }],
      evaluation: { every: 0, episodes: 6 },
    });
    const engines = nodeEngines({ device: 'wasm', threads: 1, sandbox: false });
    const request = {
      suite: 'own',
      samples: 2,
      greedy: false,
      temperature: 1,
      seed: 3,
      turns: [],
      promptTokens: 256,
      completionTokens: 2048,
    };
    const policy = { name: 'untrained', experiment, tokenizer: undefined, checkpoint: null };
    try {
      const { signal } = new AbortController();
      const played = await playSuite(engines, policy, request, { signal });
      const columns = played.items.map(({ column }) => column);
      expect(new Set(columns)).toEqual(new Set(['Maze', 'BabyAI']));
      const turnsIn = (world: string) =>
        played.items.filter(({ column }) => column === world).flatMap(({ tries }) => tries.map(({ turns }) => turns));
      expect(Math.max(...turnsIn('Maze'))).toBe(2);
      expect(Math.max(...turnsIn('BabyAI'))).toBe(5);
      const { rows, suite } = suiteReportOf({ ...played, experiment }, request);
      expect(rows.map(({ label }) => label)).toEqual(['Maze', 'BabyAI', 'All']);
      expect(suite.turns).toBe(5);
    } finally {
      await engines.closeDevice();
    }
  });
});
