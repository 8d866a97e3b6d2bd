/** The suite of a run's own held-out tasks, on a run in Maze. */
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { readDocument } from '../../src/cli/training-run.ts';
import { suiteTasks } from '../../src/rl/evaluator.ts';
import { ownSuite } from '../../src/session/evaluation/suite-evaluation.ts';

beforeAll(() => buildWasm());

describe('the suite of a run’s own held-out tasks', () => {
  it('has the world, the options and the horizon of the run, and as many tasks as its evaluations', async () => {
    const experiment = readDocument('experiments/maze-few.json');
    const { module, suite } = ownSuite(experiment);
    expect([module.name, suite.split, suite.turns, suite.most]).toEqual(['maze', 'test', 30, 400]);
    expect(suite.options).toEqual(experiment.worlds[0].options);
    const world = await module.open({});
    const ids = async (most: number) => (await suiteTasks({ ...suite, most }, world)).map(({ id }) => id);
    const all = (await world.tasks(suite.options, 'test')).map(({ id }) => id);
    expect(await ids(4)).toEqual([0, 100, 200, 300].map((i) => all[i]));
    expect(await ids(400)).toEqual(all);
    await world.close();
  });
  it.each(['textcraft-first', 'maze-first'])('is refused by name where tasks or horizon are not one: %s', (name) => {
    const experiment = readDocument(`experiments/${name}.json`);
    expect(() => ownSuite(experiment)).toThrow(/^The suite "own" needs a run/);
  });
});
