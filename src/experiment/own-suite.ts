/** The suite of a run's own held-out tasks: those that its evaluations play, under the horizon of its last step. */
import type { Suite } from '../envs/suite.ts';
import { lastTurns, limitIn, mixedLimit, mostTurns } from '../rl/schedule/horizon.ts';
import { ownSuiteTexts } from '../worlds/own-suite.ts';
import { worldModule } from '../worlds/registry.ts';
import type { FoundSuite } from '../worlds/suites.ts';
import type { Experiment } from './experiment.ts';

/**
 * Tasks of all evaluated entries of the experiment's worlds, each world within its own turns; several worlds are columns
 * of the table. If stages may end early, the horizon is that of the last stage.
 */
export function ownSuite({ worlds, horizon, steps, evaluation }: Experiment): FoundSuite {
  const evaluated = worlds.filter((world) => world.evaluated !== false);
  const limit = mixedLimit(evaluated, lastTurns(horizon, steps));
  const modules = evaluated.map(({ name }) => worldModule(name));
  const titles = new Map(modules.map(({ name, title }) => [name, title]));
  const isMixed = titles.size > 1;
  const suite: Suite = {
    ...ownSuiteTexts,
    options: evaluated[0].options,
    entries: evaluated.map(({ name, options }) => ({ name, options, turns: limitIn(limit, name) })),
    split: 'test',
    most: evaluation.episodes,
    turns: mostTurns(limit),
    columns: isMixed ? [...titles.values()] : [],
    columnOf: ({ world }) => (isMixed ? (titles.get(world) ?? world) : 'All'),
  };
  return { module: modules[0], suite };
}
