/**
 * The two players beside the policy: chance (uniform over the same valid actions, under the same horizon) and the oracle.
 * They use the worlds alone. A result is a function of (seed, task, limit), so it is computed once and remembered.
 */
import { spokenOf, type Task, validActionsAfter, type World } from '../../envs/env.ts';
import { randomAction } from '../../envs/random-player.ts';
import { type TurnLimit, turnsFor } from '../horizon.ts';
import { hash } from '../random.ts';
import { taskKey } from '../tasks.ts';
import { worldNamed } from './rollout.ts';
import { playScripted, type Script, slotsAtOnce } from './scripted.ts';

/** What playing one task once came to. */
export interface Played {
  success: boolean;
  /** The reward of its last turn. */
  score: number;
  turns: number;
}

/** One episode: a task, and which episode of that task it is. */
interface Entry {
  task: Task;
  key: string;
  /** What the random player's choices are keyed by. */
  episode: number;
}

interface PlayerRow extends Entry {
  slot: number;
  horizon: number;
  actions: readonly string[] | null;
  plan: readonly string[];
  result: Played;
}

type Choose = (row: PlayerRow, turn: number) => string | undefined;

interface Player {
  name: string;
  choose: Choose;
  /** What a world must have for it; another is not even reset, and counts as not solved. */
  plays: 'hasValidActions' | 'hasOracle';
}

/** Episodes of chance behind each task's estimate, in a step's metrics and in an evaluation. */
const chanceEpisodes = 16;

export class Players {
  private readonly remembered = new Map<string, Played>();

  constructor(
    private readonly worlds: ReadonlyMap<string, World>,
    private readonly seed: number,
    /** Under the same rule as the policy: a refused action ends the episode. */
    private readonly endOnInvalid: boolean,
  ) {}

  /** Uniform-random play of each task, one episode an entry; entries of the same task are different episodes. */
  chance(tasks: readonly Task[], limit: TurnLimit): Promise<Played[]> {
    const choose: Choose = (row, turn) =>
      row.actions?.length ? randomAction(row.actions, this.seed, row.episode, turn) : undefined;
    return this.recall({ name: 'chance', choose, plays: 'hasValidActions' }, tasks, limit);
  }

  /** The oracle's plan, played. A task whose oracle knows no plan is not solved. */
  oracle(tasks: readonly Task[], limit: TurnLimit): Promise<Played[]> {
    return this.recall({ name: 'oracle', choose: (row, turn) => row.plan[turn], plays: 'hasOracle' }, tasks, limit);
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

  private async recall(player: Player, tasks: readonly Task[], limit: TurnLimit): Promise<Played[]> {
    const entries = entriesOf(tasks, `${player.name} ${JSON.stringify(limit)}`);
    const missing = entries.filter(({ key }) => !this.remembered.has(key));
    const results = await this.play(missing, limit, player);
    missing.forEach(({ key }, i) => {
      this.remembered.set(key, results[i]);
    });
    return entries.map(({ key }) => this.remembered.get(key)!);
  }

  private async play(entries: readonly Entry[], limit: TurnLimit, player: Player): Promise<Played[]> {
    const results: Played[] = [];
    for (let first = 0; first < entries.length; first += slotsAtOnce) {
      const rows = entries.slice(first, first + slotsAtOnce).map(rowOf);
      await playScripted(this.worlds, rows, this.scriptOf(player, limit));
      results.push(...rows.map((row) => row.result));
    }
    return results;
  }

  private scriptOf({ choose, plays }: Player, limit: TurnLimit): Script<PlayerRow> {
    return {
      plays: (world) => world[plays],
      begin(row, feedback) {
        row.actions = validActionsAfter(null, feedback);
        // A world that failed is not played.
        return feedback.failure === undefined;
      },
      plan(row, plan, { hasOracle }) {
        row.plan = plan ?? [];
        if (plan || !hasOracle || typeof limit === 'number') row.horizon = turnsFor(limit, plan?.length ?? null);
        return row.horizon > 0;
      },
      move: (row) => choose(row, row.result.turns),
      answer: (row, feedback, world) => {
        const { successReward } = spokenOf(world, row.task);
        row.actions = validActionsAfter(row.actions, feedback);
        const turns = row.result.turns + 1;
        row.result = { success: feedback.reward >= successReward, score: feedback.reward, turns };
        const refused = !feedback.valid && this.endOnInvalid;
        return !feedback.done && feedback.failure === undefined && !refused && turns < row.horizon;
      },
    };
  }
}

function entriesOf(tasks: readonly Task[], player: string): Entry[] {
  const seen = new Map<string, number>();
  return tasks.map((task) => {
    const name = taskKey(task);
    const nth = seen.get(name) ?? 0;
    seen.set(name, nth + 1);
    const letters = Array.from(name, (character) => character.charCodeAt(0));
    return { task, key: `${player} ${name} ${nth}`, episode: hash(...letters, nth) };
  });
}

const rowOf = (entry: Entry, slot: number): PlayerRow => ({
  ...entry,
  slot,
  horizon: 0,
  actions: null,
  plan: [],
  result: { success: false, score: 0, turns: 0 },
});

export function successRate(played: readonly Played[]): number {
  return played.filter(({ success }) => success).length / Math.max(played.length, 1);
}
