/**
 * Imitation of an oracle (behavioural cloning, supervised fine-tuning). The world's oracle plays, its actions become
 * the tokens that the policy would have produced, and their log-probability is raised through the same update as every
 * other objective. Under the action mask only a choice among several counts, and it is scored under the mask; without a
 * mask every token of a turn counts.
 *
 * With weights and a filter on returns this is AgentEvol's learning step (arXiv 2406.04151): rejection sampling if the
 * weights are 0 and 1. Depends on the `Learner` and `World` contracts only.
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
import { type DemonstrationLimit, playGuided } from './guided-play.ts';
import { chosenPositions, type MicroBatch, pack } from './micro-batch.ts';
import {
  hasMissteps,
  type MisstepKeys,
  type Missteps,
  misstepOf,
  type PolicyTurn,
  policyBegins,
  policyStart,
} from './missteps.ts';
import { episodesAtOnce } from './players.ts';
import type { RolloutParts } from './rollout.ts';
import type { Trajectory } from './trajectory.ts';
import { type ContextRules, windowsFit } from './window.ts';

export interface Demonstrations {
  /** Episodes in which the oracle reached the goal, each a group of its own. */
  trajectories: Trajectory[];
  /**
   * Number of tasks without a demonstration: no plan, an action that the mask does not offer, too long, or the goal was
   * not reached.
   */
  skipped: number;
}

export interface DemonstrationOptions {
  maskActions: boolean;
  /** Absent: each turn reads the whole episode. */
  context?: ContextRules;
  /** Maximum number of tokens of the prompt and of what follows it. */
  promptTokens: number;
  completionTokens: number;
  /** Missteps among the oracle's actions; null or absent: none. */
  missteps?: Missteps | null;
  /** Trains on the world's text as well. */
  trainsOnWorldText?: boolean;
  /**
   * First turns of the policy by task index, for the tasks whose episodes the policy begins: see `policyStart`. Absent:
   * the oracle plays from the start.
   */
  policyTurns?: ReadonlyMap<number, readonly PolicyTurn[]>;
  /** Keys of the missteps; steps of a run have different streams. */
  seed?: number;
  step?: number;
  /** Number of consecutive demonstrations with the same first observation. Default: 1. */
  siblings?: number;
  /** Requests the oracle's action, and its thought, before every turn. Absent: its plan is played. */
  teaching?: DemonstrationLimit;
}

interface Demonstration {
  task: Task;
  slot: number;
  /** Index among all demonstrations of this call: a key of its missteps. */
  index: number;
  episode: Episode;
  plan: readonly string[];
  /** Number of actions of `plan` taken so far. */
  taken: number;
  usable: boolean;
  hasMissteps: boolean;
  /** Turns of the policy before the oracle's. */
  policyTurns: readonly PolicyTurn[];
  /** True if the last turn was a misstep: the oracle must plan again. */
  strayed: boolean;
}

const STREAM_NOISE = 0x6e6f6973;
/** Maximum number of turns of an episode with missteps; longer ones are dropped. */
const MOST_TURNS = 60;

/** Plays each task once with the oracle, in the tokens of the conversation. */
export async function demonstrate(
  parts: { worlds: ReadonlyMap<string, World>; conversation: Conversation },
  tasks: readonly Task[],
  options: DemonstrationOptions,
): Promise<Demonstrations> {
  const trajectories: Trajectory[] = [];
  for (let first = 0; first < tasks.length; first += episodesAtOnce) {
    const some = tasks.slice(first, first + episodesAtOnce);
    const settings = {
      maskActions: options.maskActions,
      trainsOnWorldText: options.trainsOnWorldText,
      ...(options.context && { context: options.context }),
      rules: ruleOf(options),
    };
    const demonstrations = some.map(
      (task, i): Demonstration => ({
        task,
        slot: i,
        index: first + i,
        episode: new Episode(task, first + i, 0, i, parts.conversation, settings),
        plan: [],
        taken: 0,
        usable: false,
        hasMissteps: hasMissteps(misstepKeysOf(options, first + i)),
        policyTurns: policyStartOf(options, first + i),
        strayed: false,
      }),
    );
    await perWorld(parts.worlds, demonstrations, (world, rows) =>
      options.teaching
        ? playGuided(world, rows, guidedBy(options, options.teaching))
        : playScripted(world, rows, scriptOf(options)),
    );
    for (const { episode, usable } of demonstrations) {
      const trajectory = episode.trajectory();
      const fits = windowsFit(trajectory, options);
      if (usable && fits && trajectory.success) trajectories.push(trajectory);
    }
  }
  const { siblings = 1 } = options;
  const shared = siblings > 1 ? withSharedPrompts(trajectories, siblings) : trajectories;
  return { trajectories: shared, skipped: tasks.length - trajectories.length };
}

/** Minimum number of common tokens that is worth a segment of its own. */
const leastShared = 16;

/** Makes siblings one group. Its prompt is their common beginning, computed once. */
function withSharedPrompts(trajectories: readonly Trajectory[], siblings: number): Trajectory[] {
  const groups = groupBy(trajectories, ({ group }) => Math.floor(group / siblings));
  return [...groups].flatMap(([group, members]) => {
    const promptLength = Math.min(...members.map((each) => commonLength(each, members[0])));
    if (promptLength < leastShared) return members;
    return members.map((each) => ({ ...withHeads(each), group: group * siblings, promptLength }));
  });
}

/** The trajectory with the heads of its windows written out, so that its prompt may be cut. */
function withHeads(trajectory: Trajectory): Trajectory {
  const { tokens, promptLength, windows } = trajectory;
  if (!windows) return trajectory;
  const prompt = tokens.subarray(0, promptLength);
  return { ...trajectory, windows: windows.map((each) => ({ ...each, head: each.head ?? prompt })) };
}

function commonLength(a: Trajectory, b: Trajectory): number {
  const most = Math.min(a.promptLength, b.promptLength);
  let n = 0;
  while (n < most && a.tokens[n] === b.tokens[n]) n++;
  return n;
}

/** A refused action ends the oracle's own play. An episode that shows what to do after a refusal continues. */
const ruleOf = ({ missteps, teaching, policyTurns }: DemonstrationOptions) => ({
  invalidAction: missteps || teaching || policyTurns ? ('continue' as const) : ('end' as const),
});

const misstepKeysOf = (
  { missteps = null, seed = 0, step = 0 }: Pick<DemonstrationOptions, 'missteps' | 'seed' | 'step'>,
  index: number,
): MisstepKeys => ({
  missteps,
  keys: [seed, STREAM_NOISE, step, index],
});

/** Turns before the oracle's first turn of an episode. */
const policyStartOf = (options: DemonstrationOptions, index: number): readonly PolicyTurn[] =>
  policyStart(options.policyTurns?.get(index) ?? [], misstepKeysOf(options, index));

/** Indices of the tasks, among `count`, whose episodes the policy begins. */
export const policyStartIndices = (
  share: number,
  count: number,
  options: Pick<DemonstrationOptions, 'seed' | 'step'>,
): number[] =>
  Array.from({ length: share > 0 ? count : 0 }, (_, index) => index).filter((index) =>
    policyBegins(share, misstepKeysOf(options, index)),
  );

const guidedBy = (options: DemonstrationOptions, teaching: DemonstrationLimit) => ({
  ...teaching,
  masked: options.maskActions,
  promptTokens: options.promptTokens,
  misstepKeys: ({ index }: Demonstration) => misstepKeysOf(options, index),
});

/** Misstep for this turn; undefined: the oracle's own action. */
function misstep(row: Demonstration, options: DemonstrationOptions): string | undefined {
  if (!row.hasMissteps) return undefined;
  const { episode, index } = row;
  const candidates = { offered: episode.offered, refused: () => notOffered(row) };
  return misstepOf(misstepKeysOf(options, index), episode.turnCount + 1, candidates);
}

/**
 * Later and earlier actions of the oracle's plan that are not offered now: plausible actions that the world refuses
 * here.
 */
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
    const turns =
      row.hasMissteps || row.policyTurns.length > 0 ? Math.max(MOST_TURNS, row.plan.length) : row.plan.length;
    if (row.usable && turnCount === 0) row.episode.setHorizon(turns, row.plan.length);
    return row.usable;
  },
  /** Plays the plan's next action, if the mask offers it, or a misstep. */
  move(row) {
    const before = row.policyTurns[row.episode.turnCount];
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
  asksAgain: (row) => row.strayed && row.episode.turnCount >= row.policyTurns.length,
});

export interface ImitationSettings {
  /** Scores demonstrations under the mask: only choices there count. */
  maskActions: boolean;
  /** Absent: each turn reads the whole episode. */
  context?: ContextRules;
  aggregation: AggregationMode;
  optimizer: OptimizerSettings;
}

export interface ImitationResult {
  demonstrations: number;
  skipped: number;
  /** Number of tokens that counted. */
  tokens: number;
  /** Mean negative log-probability of those tokens before the update, in nats. */
  nats: number;
  gradNorm: number;
}

/** One step of imitation: the oracle's play on these tasks, and one update towards it. */
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

/** One update that raises the probability of trajectories of any player; `weights`: weight of each. */
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
