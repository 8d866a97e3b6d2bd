/**
 * Plays whole episodes that need only the world: chance (uniform over the valid actions) and the oracle's plan. A world
 * behind a channel plays them on its own side, without a message for each turn.
 */
import {
  type BaselineEpisode,
  type BaselineResult,
  type BaselineRules,
  promptRulesOf,
  validActionsAfter,
  type World,
} from './env.ts';
import { randomAction } from './random-player.ts';
import { playScripted, type Script } from './scripted.ts';

interface Row extends BaselineEpisode {
  slot: number;
  horizon: number;
  actions: readonly string[] | null;
  plan: readonly string[];
  result: BaselineResult;
}

const rowOf = (episode: BaselineEpisode, slot: number): Row => ({
  ...episode,
  slot,
  horizon: 0,
  actions: null,
  plan: [],
  result: { success: false, score: 0, turns: 0 },
});

/** Action of each player, and the worlds it can play in. */
const players = {
  chance: {
    needs: 'hasValidActions',
    plans: false,
    choose: ({ actions, key, result }: Row, seed: number) =>
      actions?.length ? randomAction(actions, seed, key, result.turns) : undefined,
  },
  oracle: {
    needs: 'hasOracle',
    plans: true,
    choose: ({ plan, result }: Row) => plan[result.turns],
  },
} as const;

function scriptOf(player: BaselineEpisode['player'], { turns, endOnInvalid, seed }: BaselineRules): Script<Row> {
  const { needs, plans, choose } = players[player];
  return {
    plays: (world) => world[needs],
    // Chance needs only the length of the oracle's plan, and only if the horizon is relative to it.
    asksOracle: plans || typeof turns !== 'number',
    begin(row, feedback) {
      row.actions = validActionsAfter(null, feedback);
      // An episode whose world has failed is not played.
      if (feedback.failure === undefined) return true;
      row.result.failed = true;
      return false;
    },
    plan(row, plan) {
      row.plan = plan ?? [];
      if (typeof turns === 'number') row.horizon = turns;
      else if (plan) row.horizon = plan.length + turns.oraclePlus;
      return row.horizon > 0;
    },
    move: (row) => choose(row, seed),
    answer(row, feedback, world) {
      const { successReward } = promptRulesOf(world, row.task);
      row.actions = validActionsAfter(row.actions, feedback);
      const played = row.result.turns + 1;
      row.result = { success: feedback.reward >= successReward, score: feedback.reward, turns: played };
      if (feedback.failure !== undefined) row.result.failed = true;
      const refused = !feedback.valid && endOnInvalid;
      return !feedback.done && !row.result.failed && !refused && played < row.horizon;
    },
  };
}

/**
 * Plays each episode in a slot of its own, from 0 on. A world that the player cannot play is not reset, and its
 * episodes count as unsolved.
 */
export async function playBaselines(
  world: World,
  episodes: readonly BaselineEpisode[],
  play: BaselineRules,
): Promise<BaselineResult[]> {
  const rows = episodes.map(rowOf);
  for (const player of ['oracle', 'chance'] as const) {
    const own = rows.filter((row) => row.player === player);
    if (own.length > 0) await playScripted(world, own, scriptOf(player, play));
  }
  return rows.map(({ result }) => result);
}
