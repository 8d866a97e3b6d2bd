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
  algorithm: { groupSize: number };
  goals?: unknown;
  sampling: { context: string; branchedEpisodes: number };
  horizon: readonly { turns: number | object }[];
  worlds: readonly { name: string; options: WorldOptions; turns?: number | object | null }[];
}
/** The facts of a world's module that are checked here. */
type Asked = Pick<
  WorldModule,
  'title' | 'hasOracle' | 'hasMemory' | 'vocabulary' | 'options' | 'seats' | 'replayable' | 'freeRunning'
>;

export function worldProblems(experiment: Asking, moduleOf: (name: string) => Asked): Problem[] {
  const modules = experiment.worlds.map(({ name }) => moduleOf(name));
  return [
    ...horizonProblems(experiment, modules),
    ...turnsProblems(experiment.worlds),
    ...policyProblems(experiment, modules),
    ...memoryProblems(experiment, modules),
    ...selfPlayProblems(experiment, modules),
    ...branchProblems(experiment, modules),
    ...experiment.worlds.flatMap((entry, index) => optionProblems(entry, modules[index], `worlds.${index}.options`)),
  ];
}

/** Problems of limits relative to the oracle's turns, in a world without an oracle. */
function horizonProblems({ horizon, worlds }: Asking, modules: readonly Asked[]): Problem[] {
  const messageOf = ({ title }: Asked) => `${title} has no oracle to count from: give a number of turns`;
  const own = worlds.flatMap(({ turns }, index) =>
    typeof turns === 'object' && turns !== null && !modules[index].hasOracle
      ? [{ path: `worlds.${index}.turns`, message: messageOf(modules[index]) }]
      : [],
  );
  const without = modules.find(({ hasOracle }, index) => !hasOracle && (worlds[index].turns ?? null) === null);
  if (!without) return own;
  return horizon
    .flatMap(({ turns }, index) =>
      typeof turns === 'number' ? [] : [{ path: `horizon.${index}.turns`, message: messageOf(without) }],
    )
    .concat(own);
}

/** Problems of entries of one world with different limits: an episode's limit is that of its world. */
function turnsProblems(worlds: Asking['worlds']): Problem[] {
  const limitOf = ({ turns }: Asking['worlds'][number]) => JSON.stringify(turns ?? null);
  return worlds.flatMap((entry, index) => {
    const first = worlds.findIndex(({ name }) => name === entry.name);
    if (limitOf(entry) === limitOf(worlds[first])) return [];
    return [
      {
        path: `worlds.${index}.turns`,
        message: `it differs from that of worlds.${first}, which is the same world: give both the same limit`,
      },
    ];
  });
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

/**
 * Problems of a context in which an earlier self would not read what the policy reads: a strategy is computed without
 * summaries, and in a game without memory from the latest text alone.
 */
function selfPlayProblems({ sampling, worlds }: Asking, modules: readonly Asked[]): Problem[] {
  const own = modules.filter((module, index) => plays(module, worlds[index].options));
  const problems = own.flatMap(({ title, seats }) => {
    const start = `${title} is played against oneself, and`;
    if (seats?.memoryless && sampling.context !== 'latest')
      return `${start} its earlier selves read the latest answer alone: choose latest, or another opponent`;
    if (sampling.context === 'summary')
      return `${start} a strategy is computed without summaries: choose another context, or another opponent`;
    return [];
  });
  return problems.slice(0, 1).map((message) => ({ path: 'sampling.context', message }));
}

/** Problems of episodes that repeat the turns of others of their group. */
function branchProblems({ algorithm, goals, sampling, worlds }: Asking, modules: readonly Asked[]): Problem[] {
  const { branchedEpisodes, context } = sampling;
  if (branchedEpisodes === 0) return [];
  const { groupSize } = algorithm;
  const other = modules.find(({ replayable, freeRunning }) => !replayable || freeRunning);
  const own = worlds.findIndex(({ options }, index) => plays(modules[index], options));
  const messages = [
    branchedEpisodes >= groupSize &&
      `${branchedEpisodes} leaves no whole episode in a group of ${groupSize}: give at most ${groupSize - 1}`,
    other && `${other.title} does not answer the same actions in the same way, so no turn can be repeated: set it to 0`,
    context === 'summary' && 'a summary is not repeated: choose another context, or set it to 0',
    own >= 0 && `${modules[own].title} is played against oneself, where episodes do not branch: set it to 0`,
    goals !== undefined && 'goals are chosen by the success of whole episodes: take the rule out, or set it to 0',
  ];
  return messages.flatMap((message) =>
    typeof message === 'string' ? [{ path: 'sampling.branchedEpisodes', message }] : [],
  );
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
