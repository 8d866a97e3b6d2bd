/**
 * The two players beside the policy: chance (uniform over the same valid actions, under the same horizon) and the
 * oracle. They use only the worlds. A result is a function of (seed, task, limit), so it is computed once and cached.
 */
import { playBaselines } from '../../envs/baseline-play.ts';
import type { BaselineEpisode, BaselineResult, BaselineRules, Task, World } from '../../envs/env.ts';
import type { Suite } from '../../envs/suite.ts';
import { awaitAll } from '../common/await-all.ts';
import { groupBy } from '../common/numbers.ts';
import { hashed, hashOnto, hashStart } from '../common/random.ts';
import { limitIn, type PlayLimit, suiteLimit, turnsFor } from '../schedule/horizon.ts';
import { taskKey } from '../schedule/tasks.ts';
import { worldNamed } from './by-world.ts';

type Player = BaselineEpisode['player'];

/** One episode, and its place in the cache. */
interface Entry extends BaselineEpisode {
  of: BaselineResult[];
  nth: number;
}

/** Episodes played at once. They may use a rollout's slots, because a rollout resets its slots before it plays. */
export const episodesAtOnce = 256;
/** Maximum number of episodes of chance and the oracle in one message: both of a step's usual groups. */
const baselineEpisodesAtOnce = 512;
/** Maximum number of tasks whose episodes are remembered: in self-play most are new. All are forgotten at once. */
const mostRemembered = 20_000;
/** Episodes of chance for each task's estimate, in a step's metrics and in an evaluation. */
const chanceEpisodes = 16;

export class Players {
  /** Cached episodes of a player, a limit and a task, in order. */
  private readonly remembered = new Map<string, BaselineResult[]>();

  constructor(
    private readonly worlds: ReadonlyMap<string, World>,
    private readonly seed: number,
    /** True if a refused action ends the episode, as for the policy. */
    private readonly endOnInvalid: boolean,
  ) {}

  /** Uniformly random play, one episode per entry. Entries of the same task are different episodes. */
  chance(tasks: readonly Task[], limit: PlayLimit): Promise<BaselineResult[]> {
    return this.recall('chance', tasks, limit);
  }

  /** The oracle's plan, played. A task without a plan counts as not solved. */
  oracle(tasks: readonly Task[], limit: PlayLimit): Promise<BaselineResult[]> {
    return this.recall('oracle', tasks, limit);
  }

  /**
   * Several episodes of chance per task, without those whose world failed, and the oracle, or null if some world has
   * none.
   */
  async both(
    tasks: readonly Task[],
    limit: PlayLimit,
  ): Promise<{ chance: BaselineResult[][]; oracle: BaselineResult[] | null }> {
    const repeated = tasks.flatMap((task) => Array<Task>(chanceEpisodes).fill(task));
    const chance = this.entries('chance', repeated, limit);
    const oracle = this.haveOracle(tasks) ? this.entries('oracle', tasks, limit) : null;
    await this.playMissing([...chance, ...(oracle ?? [])], limit);
    const played = playedOf(chance);
    return {
      chance: tasks.map((_, i) =>
        played.slice(i * chanceEpisodes, (i + 1) * chanceEpisodes).filter(({ failed }) => !failed),
      ),
      oracle: oracle && playedOf(oracle),
    };
  }

  /** Baselines on each of a suite's tasks. */
  async beside(suite: Pick<Suite, 'guesses' | 'turns' | 'entries'>, tasks: readonly Task[]) {
    const { chance, oracle } = await this.both(tasks, suiteLimit(suite));
    const guess = await this.guesses(suite, tasks);
    return tasks.map((_, i) => ({
      chance: chance[i],
      oracle: oracle && !oracle[i].failed ? oracle[i] : null,
      ...(guess && !guess[i].failed && { guess: guess[i] }),
    }));
  }

  /** The guessing oracle on a suite's tasks; null if the suite has none. */
  async guesses({ guesses, ...suite }: Pick<Suite, 'guesses' | 'turns' | 'entries'>, tasks: readonly Task[]) {
    if (!guesses) return null;
    return this.oracle(
      tasks.map((task) => ({ ...task, options: { ...task.options, ...guesses } })),
      suiteLimit(suite),
    );
  }

  private haveOracle(tasks: readonly Task[]): boolean {
    return tasks.every((task) => worldNamed(this.worlds, task.world).describe().hasOracle);
  }

  private async recall(player: Player, tasks: readonly Task[], limit: PlayLimit): Promise<BaselineResult[]> {
    const entries = this.entries(player, tasks, limit);
    await this.playMissing(entries, limit);
    return playedOf(entries);
  }

  private async playMissing(entries: readonly Entry[], limit: PlayLimit): Promise<void> {
    // A failed world may work again.
    const missing = entries.filter(({ of, nth }) => !of[nth] || of[nth].failed);
    const play = { limit, endOnInvalid: this.endOnInvalid, seed: this.seed };
    for (let first = 0; first < missing.length; first += baselineEpisodesAtOnce)
      await this.play(missing.slice(first, first + baselineEpisodesAtOnce), play);
  }

  /** Each world plays its own entries. */
  private async play(
    entries: readonly Entry[],
    { limit, ...rules }: Omit<BaselineRules, 'turns'> & { limit: PlayLimit },
  ): Promise<void> {
    const byWorld = groupBy(entries, ({ task }) => task.world);
    await awaitAll(
      [...byWorld].map(async ([name, members]) => {
        const world = worldNamed(this.worlds, name);
        const play = { ...rules, turns: limitIn(limit, name) };
        // A limit relative to a plan needs a world with an oracle.
        const { hasOracle, hasValidActions } = world.describe();
        const byChance = members.some(({ player }) => player === 'chance');
        if (byChance && hasValidActions && !hasOracle) turnsFor(play.turns, null);
        const played = await (world.playBaselines?.(members, play) ?? playBaselines(world, members, play));
        members.forEach(({ of, nth }, i) => {
          of[nth] = played[i];
        });
      }),
    );
  }

  private entries(player: Player, tasks: readonly Task[], limit: PlayLimit): Entry[] {
    if (this.remembered.size > mostRemembered) this.remembered.clear();
    const byName = new Map<string, Named>();
    // A task occurs here many times, mostly as the same object.
    const byTask = new Map<Task, Named>();
    return tasks.map((task) => {
      const named =
        byTask.get(task) ?? this.nameOf(`${player} ${JSON.stringify(limitIn(limit, task.world))}`, task, byName);
      byTask.set(task, named);
      const nth = named.times++;
      return { player, task, of: named.of, nth, key: hashed(hashOnto(named.state, nth)) };
    });
  }

  private nameOf(kind: string, task: Task, known: Map<string, Named>): Named {
    const name = taskKey(task);
    const of = this.remembered.get(`${kind} ${name}`) ?? [];
    this.remembered.set(`${kind} ${name}`, of);
    const named = known.get(name) ?? { of, state: lettersState(name), times: 0 };
    known.set(name, named);
    return named;
  }
}

const playedOf = (entries: readonly Entry[]): BaselineResult[] => entries.map(({ of, nth }) => of[nth]);

/** Episodes of a task, the hash of its key, and the number of times it occurred. */
interface Named {
  of: BaselineResult[];
  state: number;
  times: number;
}

function lettersState(text: string): number {
  let state = hashStart;
  for (let i = 0; i < text.length; i++) state = hashOnto(state, text.charCodeAt(i));
  return state;
}

export function successRate(played: readonly BaselineResult[]): number {
  return played.filter(({ success }) => success).length / Math.max(played.length, 1);
}
