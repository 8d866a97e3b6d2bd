/**
 * The two players beside the policy: chance (uniform over the same valid actions, under the same horizon) and the oracle.
 * They use the worlds alone. A result is a function of (seed, task, limit), so it is computed once and remembered.
 */
import { playAlone } from '../../envs/alone.ts';
import type { LoneEpisode, LonePlay, Played, Task, World } from '../../envs/env.ts';
import { type TurnLimit, turnsFor } from '../horizon.ts';
import { groupBy } from '../numbers.ts';
import { hashed, hashOnto, hashStart } from '../random.ts';
import { taskKey } from '../tasks.ts';
import { together } from '../together.ts';
import { worldNamed } from './rollout.ts';

/** One episode, and where it is remembered. */
interface Entry extends LoneEpisode {
  of: Played[];
  nth: number;
}

/** Episodes played at once. A rollout resets its slots before it plays, so they may be the same ones. */
export const episodesAtOnce = 256;
/** Episodes of chance behind each task's estimate, in a step's metrics and in an evaluation. */
const chanceEpisodes = 16;

export class Players {
  /** Episodes of a player, a limit and a task, from its first on. */
  private readonly remembered = new Map<string, Played[]>();

  constructor(
    private readonly worlds: ReadonlyMap<string, World>,
    private readonly seed: number,
    /** Under the same rule as the policy: a refused action ends the episode. */
    private readonly endOnInvalid: boolean,
  ) {}

  /** Uniform-random play of each task, one episode an entry; entries of the same task are different episodes. */
  chance(tasks: readonly Task[], limit: TurnLimit): Promise<Played[]> {
    return this.recall('chance', tasks, limit);
  }

  /** The oracle's plan, played. A task whose oracle knows no plan is not solved. */
  oracle(tasks: readonly Task[], limit: TurnLimit): Promise<Played[]> {
    return this.recall('oracle', tasks, limit);
  }

  /** What chance comes to, in several episodes of each task. */
  async chances(tasks: readonly Task[], limit: TurnLimit): Promise<Played[][]> {
    const repeated = tasks.flatMap((task) => Array<Task>(chanceEpisodes).fill(task));
    const played = await this.chance(repeated, limit);
    return tasks.map((_, i) => played.slice(i * chanceEpisodes, (i + 1) * chanceEpisodes));
  }

  /** Expected success of chance on a step's tasks. */
  async chanceRate(tasks: readonly Task[], limit: TurnLimit): Promise<number> {
    return successRate((await this.chances(tasks, limit)).flat());
  }

  /** Success of the oracle, or null where some world has none. */
  async oracleRate(tasks: readonly Task[], limit: TurnLimit): Promise<number | null> {
    return this.haveOracle(tasks) ? successRate(await this.oracle(tasks, limit)) : null;
  }

  haveOracle(tasks: readonly Task[]): boolean {
    return tasks.every((task) => worldNamed(this.worlds, task.world).describe().hasOracle);
  }

  private async recall(player: LonePlay['player'], tasks: readonly Task[], limit: TurnLimit): Promise<Played[]> {
    const entries = entriesOf(tasks, `${player} ${JSON.stringify(limit)}`, this.remembered);
    const missing = entries.filter(({ of, nth }) => !of[nth]);
    const play = { player, turns: limit, endOnInvalid: this.endOnInvalid, seed: this.seed };
    for (let first = 0; first < missing.length; first += episodesAtOnce)
      await this.play(missing.slice(first, first + episodesAtOnce), play);
    return entries.map(({ of, nth }) => of[nth]);
  }

  /** Each world plays its own. */
  private async play(entries: readonly Entry[], play: LonePlay): Promise<void> {
    const byWorld = groupBy(entries, ({ task }) => task.world);
    await together(
      [...byWorld].map(async ([name, members]) => {
        const world = worldNamed(this.worlds, name);
        // A limit that counts from a plan has no meaning where nobody plans.
        const { hasOracle, hasValidActions } = world.describe();
        if (play.player === 'chance' && hasValidActions && !hasOracle) turnsFor(play.turns, null);
        const episodes = members.map(({ task, key }) => ({ task, key }));
        const played = await (world.playAlone?.(episodes, play) ?? playAlone(world, episodes, play));
        members.forEach(({ of, nth }, i) => {
          of[nth] = played[i];
        });
      }),
    );
  }
}

/** A task's episodes, what the letters of its name come to, and how often it has been named. */
interface Named {
  of: Played[];
  state: number;
  times: number;
}

function entriesOf(tasks: readonly Task[], player: string, remembered: Map<string, Played[]>): Entry[] {
  const byName = new Map<string, Named>();
  // A task stands here many times, and most often as the same object.
  const byTask = new Map<Task, Named>();
  return tasks.map((task) => {
    const named = byTask.get(task) ?? nameOf(task);
    byTask.set(task, named);
    const nth = named.times++;
    return { task, of: named.of, nth, key: hashed(hashOnto(named.state, nth)) };
  });

  function nameOf(task: Task): Named {
    const name = taskKey(task);
    const of = remembered.get(`${player} ${name}`) ?? [];
    remembered.set(`${player} ${name}`, of);
    const named = byName.get(name) ?? { of, state: lettersState(name), times: 0 };
    byName.set(name, named);
    return named;
  }
}

function lettersState(text: string): number {
  let state = hashStart;
  for (let i = 0; i < text.length; i++) state = hashOnto(state, text.charCodeAt(i));
  return state;
}

export function successRate(played: readonly Played[]): number {
  return played.filter(({ success }) => success).length / Math.max(played.length, 1);
}
