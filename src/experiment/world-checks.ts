/**
 * Requirements of a document that its worlds cannot meet, found before any world is opened: each with its path and the
 * remedy.
 */
import type { WorldOptions } from '../envs/env.ts';
import type { WorldModule } from '../envs/module.ts';
import { OptionsError } from '../envs/options.ts';
import { factsOf } from './policies/registry.ts';

type Problem = { path: string; message: string };
/** The parts of a document that concern its worlds. */
interface Asking {
  policy: Parameters<typeof factsOf>[0];
  sampling: { context: string };
  horizon: readonly { turns: number | object }[];
  worlds: readonly { name: string; options: WorldOptions }[];
}
/** The facts of a world's module that are checked here. */
type Asked = Pick<WorldModule, 'title' | 'hasOracle' | 'hasMemory' | 'vocabulary' | 'options' | 'seats'>;

export function worldProblems(experiment: Asking, moduleOf: (name: string) => Asked): Problem[] {
  const modules = experiment.worlds.map(({ name }) => moduleOf(name));
  return [
    ...horizonProblems(experiment.horizon, modules),
    ...policyProblems(experiment, modules),
    ...memoryProblems(experiment, modules),
    ...summaryProblems(experiment, modules),
    ...experiment.worlds.flatMap((entry, index) => optionProblems(entry, modules[index], `worlds.${index}.options`)),
  ];
}

/** Problems of a horizon relative to the oracle's turns, in a world without an oracle. */
function horizonProblems(horizon: Asking['horizon'], modules: readonly Asked[]): Problem[] {
  const without = modules.find(({ hasOracle }) => !hasOracle);
  if (!without) return [];
  const message = `${without.title} has no oracle to count from: give a number of turns`;
  return horizon.flatMap(({ turns }, index) =>
    typeof turns === 'number' ? [] : [{ path: `horizon.${index}.turns`, message }],
  );
}

/** Problems of a context that begins with the world's memory, in a world without one. */
function memoryProblems({ sampling }: Asking, modules: readonly Asked[]): Problem[] {
  const without = sampling.context === 'memory' && modules.find(({ hasMemory }) => !hasMemory);
  if (!without) return [];
  return [
    {
      path: 'sampling.context',
      message: `${without.title} keeps no memory of its own: choose task or another context`,
    },
  ];
}

/** Problems of a summary in self-play, where the exact strategy would need the probability of every summary. */
function summaryProblems({ sampling, worlds }: Asking, modules: readonly Asked[]): Problem[] {
  if (sampling.context !== 'summary') return [];
  const own = worlds.findIndex(({ options }, index) => plays(modules[index], options));
  if (own < 0) return [];
  const message = `${modules[own].title} is played against oneself, and a strategy is computed without summaries: choose another context, or another opponent`;
  return [{ path: 'sampling.context', message }];
}

/** True if the policy plays against itself under these options. */
function plays({ seats, options: parse }: Asked, options: WorldOptions): boolean {
  try {
    return Boolean(seats?.league(parse(options) as WorldOptions));
  } catch (error) {
    if (error instanceof OptionsError) return false;
    throw error;
  }
}

/** Problems of a policy that builds its vocabulary from the world's texts, in a world that has no such vocabulary. */
function policyProblems({ policy, worlds }: Asking, modules: readonly Asked[]): Problem[] {
  if (factsOf(policy).languageModel) return [];
  return worlds.flatMap((_, index) =>
    modules[index].vocabulary
      ? []
      : [
          {
            path: `worlds.${index}.name`,
            message: `${modules[index].title} has no vocabulary for a tiny policy: choose a language model to play it`,
          },
        ],
  );
}

/** Problems that the world's own schema finds. */
function optionProblems({ options }: Asking['worlds'][number], module: Asked, at: string): Problem[] {
  try {
    module.options(options);
    return [];
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return error.problems.map(({ path, message }) => ({ path: path ? `${at}.${path}` : at, message }));
  }
}
