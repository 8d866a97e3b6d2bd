// The last state of a game, from its task and the policy's actions alone: the world's own end, in each world with seats.
import { expect, it } from 'vitest';
import type { Task, World } from '../../src/envs/env.ts';
import { seatLines, uniformStrategy } from '../../src/envs/game.ts';
import { against, type GameRules, stateAfter } from '../../src/envs/game-world.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import { bargainPlay } from '../../src/worlds/bargain/games.ts';
import { openBargain } from '../../src/worlds/bargain/world.ts';
import { kuhnEquilibrium, kuhnGame } from '../../src/worlds/kuhn/rules.ts';
import { openKuhn } from '../../src/worlds/kuhn/world.ts';
import { walkPlay } from '../../src/worlds/proposer/games.ts';
import { openProposer } from '../../src/worlds/proposer/world.ts';
import { chancesOf, ticTacToe } from '../../src/worlds/tictactoe/rules.ts';
import { openTicTacToe } from '../../src/worlds/tictactoe/world.ts';
import { ownChances, twentyQuestions } from '../../src/worlds/twenty-questions/rules.ts';
import { openTwentyQuestions } from '../../src/worlds/twenty-questions/world.ts';

type Rules<State> = Pick<GameRules<State>, 'game' | 'opponent' | 'read'>;

/** Plays games at random, and compares each payoff with that of the state after its actions. */
async function compare<State>(
  world: World,
  rules: Rules<State>,
  opposed = (task: Task) => task,
  options = {},
): Promise<void> {
  const tasks = (await world.tasks(options, 'train')).slice(0, 200);
  for (const task of tasks.map(opposed)) {
    const actions: string[] = [];
    let [answer] = await world.reset([0], [task]);
    for (let turn = 0; !answer.done; turn++) {
      if (turn === 1) [answer] = await world.step([0], [actions[actions.push('no such action') - 1]]);
      actions.push(randomAction(answer.validActions ?? [], 7, task.id, turn));
      [answer] = await world.step([0], actions.slice(-1));
    }
    const game = rules.game(task.options);
    const { state, seat } = stateAfter(rules, { task, actions });
    expect(game.toAct(state)).toBeNull();
    expect([seat, game.payoff(state, seat)]).toEqual([task.id % 2, answer.reward]);
  }
  await world.close();
}

it('bargaining', () => compare(openBargain(), bargainPlay));

const poker = { game: () => kuhnGame, opponent: () => kuhnEquilibrium() };
it('Kuhn poker', () => compare(openKuhn(), poker));
it('Kuhn poker against a strategy that the task carries', () =>
  compare(openKuhn(), poker, (task) => against(task, uniformStrategy(seatLines(kuhnGame)))));

it('proposer and solver', () => compare(openProposer(), walkPlay, undefined, { seat: 'both', opponent: 'chance' }));

it('tic-tac-toe', () =>
  compare(openTicTacToe(), {
    game: () => ticTacToe,
    opponent: () => (board, seat) => chancesOf(board, seat, 0.5),
  }));

it('twenty questions', () =>
  compare(openTwentyQuestions(), { game: () => twentyQuestions, opponent: () => ownChances }));
