/**
 * Imitation of an oracle (behavioural cloning, supervised fine-tuning): the world's oracle plays, what it says becomes the tokens
 * the policy would have said, and their log-probability is raised, through the same update as every other objective. Under
 * the action mask only a choice among several counts, and it is scored under the mask; without it, every token of a turn.
 *
 * With weights and a filter on returns this is AgentEvol's learning step (arXiv 2406.04151): rejection sampling where the
 * weights are 0 and 1. Knows the `Learner` and `World` contracts; has never heard of a GPU buffer or a file.
 */
import type { Task, World } from '../../envs/env.ts';
import { playScripted, type Script } from '../../envs/scripted.ts';
import type { Learner, OptimizerSettings } from '../../policy/policy.ts';
import type { AggregationMode } from '../common/aggregation.ts';
import { groupBy } from '../common/numbers.ts';
import { likelihoodCoefficients, likelihoodObjective } from '../objective/likelihood.ts';
import { perWorld } from './by-world.ts';
import type { Conversation } from './conversation.ts';
import { Episode } from './episode.ts';
import { type Begun, begins, begunOf, type Missteps, misstepOf, type Stumbling, stumbles } from './missteps.ts';
import { chosenPositions, type MicroBatch, pack } from './packing.ts';
import { episodesAtOnce } from './players.ts';
import type { RolloutParts } from './rollout.ts';
import { playTaught, type Teaching } from './taught.ts';
import type { Trajectory } from './trajectory.ts';

export interface Demonstrations {
  /** Episodes in which the oracle reached the goal, each a group of its own. */
  trajectories: Trajectory[];
  /** Tasks without one: no plan, an action that the mask does not offer, too long, or short of the goal. */
  skipped: number;
}

export interface DemonstrationOptions {
  maskActions: boolean;
  /** Tokens that fit. */
  promptTokens: number;
  completionTokens: number;
  /** null or absent: what the oracle says and nothing else. */
  missteps?: Missteps | null;
  /** The world's words are learnt as well. */
  listens?: boolean;
  /** What the policy did on each task of which it begins the episode, by the task's place in the list: see `begunOf`. Absent: the oracle plays from the start. */
  begun?: ReadonlyMap<number, readonly Begun[]>;
  /** What the missteps are keyed by; steps of a run are different streams. */
  seed?: number;
  step?: number;
  /** Demonstrations that share their first words follow each other, so many at a time. Default: 1. */
  siblings?: number;
  /** The oracle is asked before every turn, and may think aloud. Absent: its plan is played. */
  teaching?: Teaching;
}

interface Demonstration {
  task: Task;
  slot: number;
  /** Among all that are played now: what its missteps are keyed by. */
  index: number;
  episode: Episode;
  plan: readonly string[];
  /** Of `plan`, what was taken. */
  taken: number;
  usable: boolean;
  stumbles: boolean;
  /** Turns of the policy before the oracle's. */
  begun: readonly Begun[];
  /** The turn was a misstep: the oracle has to plan anew. */
  strayed: boolean;
}

const STREAM_NOISE = 0x6e6f6973;
/** Turns of an episode with missteps, beyond which it is given up. */
const MOST_TURNS = 60;

/** The oracle plays each task once, in the words and tokens of the conversation. */
export async function demonstrate(
  parts: { worlds: ReadonlyMap<string, World>; conversation: Conversation },
  tasks: readonly Task[],
  options: DemonstrationOptions,
): Promise<Demonstrations> {
  const trajectories: Trajectory[] = [];
  for (let first = 0; first < tasks.length; first += episodesAtOnce) {
    const some = tasks.slice(first, first + episodesAtOnce);
    const settings = { maskActions: options.maskActions, listens: options.listens, rules: ruleOf(options) };
    const demonstrations = some.map(
      (task, i): Demonstration => ({
        task,
        slot: i,
        index: first + i,
        episode: new Episode(task, first + i, 0, i, parts.conversation, settings),
        plan: [],
        taken: 0,
        usable: false,
        stumbles: stumbles(stumblingOf(options, first + i)),
        begun: begunBy(options, first + i),
        strayed: false,
      }),
    );
    await perWorld(parts.worlds, demonstrations, (world, rows) =>
      options.teaching
        ? playTaught(world, rows, taughtBy(options, options.teaching))
        : playScripted(world, rows, scriptOf(options)),
    );
    for (const { episode, usable } of demonstrations) {
      const trajectory = episode.trajectory();
      const fits = trajectory.tokens.length - trajectory.promptLength <= options.completionTokens;
      if (usable && fits && trajectory.success) trajectories.push(trajectory);
    }
  }
  const { siblings = 1 } = options;
  const shared = siblings > 1 ? withSharedPrompts(trajectories, siblings) : trajectories;
  return { trajectories: shared, skipped: tasks.length - trajectories.length };
}

/** Fewer tokens in common are not worth a segment of their own. */
const leastShared = 16;

/** Siblings are one group, whose prompt is what they begin with in common: it is computed once. */
function withSharedPrompts(trajectories: readonly Trajectory[], siblings: number): Trajectory[] {
  const groups = groupBy(trajectories, ({ group }) => Math.floor(group / siblings));
  return [...groups].flatMap(([group, members]) => {
    const promptLength = Math.min(...members.map((each) => commonLength(each, members[0])));
    if (promptLength < leastShared) return members;
    return members.map((each) => ({ ...each, group: group * siblings, promptLength }));
  });
}

function commonLength(a: Trajectory, b: Trajectory): number {
  const most = Math.min(a.promptLength, b.promptLength);
  let n = 0;
  while (n < most && a.tokens[n] === b.tokens[n]) n++;
  return n;
}

/** A refused action is an end in the oracle's own play; whoever is taught what to do after one plays on. */
const ruleOf = ({ missteps, teaching, begun }: DemonstrationOptions) => ({
  invalidAction: missteps || teaching || begun ? ('continue' as const) : ('end' as const),
});

const stumblingOf = (
  { missteps = null, seed = 0, step = 0 }: Pick<DemonstrationOptions, 'missteps' | 'seed' | 'step'>,
  index: number,
): Stumbling => ({
  missteps,
  keys: [seed, STREAM_NOISE, step, index],
});

/** What stands before the oracle's first turn of an episode. */
const begunBy = (options: DemonstrationOptions, index: number): readonly Begun[] =>
  begunOf(options.begun?.get(index) ?? [], stumblingOf(options, index));

/** Places of the tasks whose episodes the policy begins, of a list of so many. */
export const begunPlaces = (
  share: number,
  count: number,
  options: Pick<DemonstrationOptions, 'seed' | 'step'>,
): number[] =>
  Array.from({ length: share > 0 ? count : 0 }, (_, index) => index).filter((index) =>
    begins(share, stumblingOf(options, index)),
  );

const taughtBy = (options: DemonstrationOptions, teaching: Teaching) => ({
  ...teaching,
  masked: options.maskActions,
  promptTokens: options.promptTokens,
  stumbling: ({ index }: Demonstration) => stumblingOf(options, index),
});

/** A misstep for this turn; undefined: the oracle's own action. */
function misstep(row: Demonstration, options: DemonstrationOptions): string | undefined {
  if (!row.stumbles) return undefined;
  const { episode, index } = row;
  const candidates = { offered: episode.offered, refused: () => notOffered(row) };
  return misstepOf(stumblingOf(options, index), episode.turnCount + 1, candidates);
}

/** What the oracle means to do later and may not do yet, and what it has done: plausible, and refused here. */
function notOffered({ plan, taken, episode }: Demonstration): string[] {
  const offered = new Set(episode.offered);
  const others = [...plan.slice(0, Math.max(0, taken - 1)), ...plan.slice(taken + 1)];
  return others.filter((action) => !offered.has(action));
}

const scriptOf = (options: DemonstrationOptions): Script<Demonstration> => ({
  plays: () => true,
  asksOracle: true,
  begin({ episode }, feedback, world) {
    episode.start(feedback, world, options.promptTokens);
    return !episode.ended;
  },
  plan(row, plan) {
    row.plan = plan ?? [];
    row.taken = 0;
    row.usable = row.plan.length > 0;
    row.strayed = false;
    const { turnCount } = row.episode;
    const turns = row.stumbles || row.begun.length > 0 ? Math.max(MOST_TURNS, row.plan.length) : row.plan.length;
    if (row.usable && turnCount === 0) row.episode.setHorizon(turns, row.plan.length);
    return row.usable;
  },
  /** The plan's next action, if the mask offers it; now and then a misstep. */
  move(row) {
    const before = row.begun[row.episode.turnCount];
    if (before) {
      row.strayed = true;
      row.episode.mention(before.action);
      return before.action;
    }
    const wrong = misstep(row, options);
    row.strayed = wrong !== undefined && wrong !== row.plan[row.taken];
    if (row.strayed) row.episode.mention(wrong!);
    else row.usable = row.episode.demonstrate(row.plan[row.taken++]);
    return row.usable ? row.episode.action : undefined;
  },
  answer(row, feedback) {
    row.episode.takeObservation(feedback);
    return !row.episode.ended && (row.strayed || row.taken < row.plan.length);
  },
  asksAgain: (row) => row.strayed && row.episode.turnCount >= row.begun.length,
});

export interface ImitationSettings {
  /** Demonstrations are scored under the mask: only what is a choice there counts. */
  maskActions: boolean;
  aggregation: AggregationMode;
  optimizer: OptimizerSettings;
}

export interface ImitationResult {
  demonstrations: number;
  skipped: number;
  /** Tokens that counted. */
  tokens: number;
  /** Mean negative log-probability of those tokens before the update, in nats. */
  nats: number;
  gradNorm: number;
}

/** One step: the oracle's play on these tasks, and one update towards it. */
export async function imitate(
  parts: RolloutParts & { policy: Learner },
  tasks: readonly Task[],
  settings: ImitationSettings,
): Promise<ImitationResult> {
  const { capacity } = parts.policy;
  const { trajectories, skipped } = await demonstrate(parts, tasks, { ...settings, ...capacity });
  const updated = await updateTowards(parts.policy, trajectories, settings);
  return { demonstrations: trajectories.length, skipped, ...updated };
}

/** One update that makes trajectories likelier, whoever played them; `weights`: how much each counts. */
export async function updateTowards(
  policy: Learner,
  trajectories: readonly Trajectory[],
  settings: ImitationSettings,
  weights: ArrayLike<number> | null = null,
): Promise<Pick<ImitationResult, 'tokens' | 'nats' | 'gradNorm'>> {
  const counts = trajectories.map((trajectory) => chosenPositions(trajectory).length);
  const coefficients = likelihoodCoefficients(counts, settings.aggregation, weights);
  const micro = pack(trajectories, policy.capacity);
  if (micro.length === 0) return { tokens: 0, nats: 0, gradNorm: 0 };
  const batches = micro.map(({ batch, trajectory }: MicroBatch) => ({
    batch,
    columns: [Float32Array.from(trajectory, (index) => coefficients[index])],
  }));
  const request = { batches, objective: likelihoodObjective, scalars: [], optimizer: settings.optimizer };
  const { outputs, gradNorm } = await policy.update(request, { temperature: 1 });
  const logprobs = outputs.flatMap(({ logprob }) => Array.from(logprob));
  const nats = -logprobs.reduce((sum, value) => sum + value, 0) / Math.max(logprobs.length, 1);
  return { tokens: logprobs.length, nats, gradNorm };
}
