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
import type { AggregationMode } from '../aggregation.ts';
import { likelihoodCoefficients, likelihoodObjective } from '../objective/likelihood.ts';
import { below, uniform } from '../random.ts';
import type { Conversation } from './conversation.ts';
import { Episode } from './episode.ts';
import { chosenPositions, type MicroBatch, pack } from './packing.ts';
import { episodesAtOnce } from './players.ts';
import { perWorld, type RolloutParts } from './rollout.ts';
import type { Trajectory } from './trajectory.ts';

export interface Demonstrations {
  /** Episodes in which the oracle reached the goal, each a group of its own. */
  trajectories: Trajectory[];
  /** Tasks without one: no plan, an action that the mask does not offer, too long, or short of the goal. */
  skipped: number;
}

/** Missteps in the oracle's play: what leads away from its own path is seen, and never made likelier. Shares from 0 to 1. */
export interface Missteps {
  /** Of the episodes that have missteps at all. */
  episodes: number;
  /** Of the turns of such an episode in which an offered action is drawn at random. */
  random: number;
  /** Of its turns in which something is said that is not offered here. */
  refused: number;
}

export interface DemonstrationOptions {
  maskActions: boolean;
  /** Tokens that fit. */
  promptTokens: number;
  completionTokens: number;
  /** null or absent: the oracle's plan and nothing else. */
  missteps?: Missteps | null;
  /** The world's words are learnt as well. */
  listens?: boolean;
  /** What the missteps are keyed by; steps of a run are different streams. */
  seed?: number;
  step?: number;
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
        stumbles: draws(options, first + i, 0, 0) < (options.missteps?.episodes ?? 0),
        strayed: false,
      }),
    );
    await perWorld(parts.worlds, demonstrations, (world, rows) => playScripted(world, rows, scriptOf(options)));
    for (const { episode, usable } of demonstrations) {
      const trajectory = episode.trajectory();
      const fits = trajectory.tokens.length - trajectory.promptLength <= options.completionTokens;
      if (usable && fits && trajectory.success) trajectories.push(trajectory);
    }
  }
  return { trajectories, skipped: tasks.length - trajectories.length };
}

/** A refused action is an end in the oracle's own play, and part of it where missteps are wanted. */
const ruleOf = ({ missteps }: DemonstrationOptions) => ({
  invalidAction: missteps ? ('continue' as const) : ('end' as const),
});

const draws = ({ seed = 0, step = 0 }: DemonstrationOptions, index: number, turn: number, what: number) =>
  uniform(seed, STREAM_NOISE, step, index, turn, what);

/** A misstep for this turn; undefined: the oracle's own action. */
function misstep(row: Demonstration, options: DemonstrationOptions): string | undefined {
  const { missteps, seed = 0, step = 0 } = options;
  if (!missteps || !row.stumbles) return undefined;
  const { episode, index } = row;
  const turn = episode.turnCount + 1;
  const drawn = draws(options, index, turn, 1);
  const key = [seed, STREAM_NOISE, step, index, turn, 2];
  if (drawn < missteps.random) return pick(episode.offered, key);
  if (drawn < missteps.random + missteps.refused) return pick(notOffered(row), key);
  return undefined;
}

const pick = (actions: readonly string[], key: readonly number[]): string | undefined =>
  actions.length ? actions[below(actions.length, ...key)] : undefined;

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
    const turns = row.stumbles ? Math.max(MOST_TURNS, row.plan.length) : row.plan.length;
    if (row.usable && turnCount === 0) row.episode.setHorizon(turns, row.plan.length);
    return row.usable;
  },
  /** The plan's next action, if the mask offers it; now and then a misstep. */
  move(row) {
    const wrong = misstep(row, options);
    row.strayed = wrong !== undefined && wrong !== row.plan[row.taken];
    if (row.strayed) row.episode.mention(wrong!);
    else row.usable = row.episode.demonstrate(row.plan[row.taken++]);
    return row.usable ? row.episode.action : undefined;
  },
  answer(row, feedback) {
    row.episode.answer(feedback);
    return !row.episode.ended && (row.strayed || row.taken < row.plan.length);
  },
  asksAgain: (row) => row.strayed,
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
