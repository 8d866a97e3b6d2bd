// Tic-tac-toe: all games and positions against their known numbers, the perfect player against every reply, and the
// world's games.
import { describe, expect, it } from 'vitest';
import type { Split, WorldOptions } from '../../src/envs/env.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import { bestPayoff, bestResponse } from '../../src/worlds/tictactoe/best-response.ts';
import { parseTicTacToe } from '../../src/worlds/tictactoe/options.ts';
import { type Board, chancesOf, payoffOf, ticTacToe, ticTacToeEnding } from '../../src/worlds/tictactoe/rules.ts';
import { openTicTacToe } from '../../src/worlds/tictactoe/world.ts';

const [empty] = ticTacToe.deals;
const boardAfter = (...squares: number[]): Board =>
  squares.reduce((board, square) => ticTacToe.play(board, `mark ${square}`), empty);

describe('the game', () => {
  it('has its known numbers of games, results and positions', () => {
    /** Number of games with each payoff, from each position. */
    const known = new Map<string, number[]>();
    const games = (board: Board): number[] => {
      const key = board.squares.join();
      const counted = known.get(key) ?? countFrom(board);
      known.set(key, counted);
      return counted;
    };
    const countFrom = (board: Board): number[] => {
      if (ticTacToe.toAct(board) === null)
        return [1, -1, 0].map((payoff) => Number(ticTacToe.payoff(board, 0) === payoff));
      const after = ticTacToe.actions(board).map((action) => games(ticTacToe.play(board, action)));
      return [0, 1, 2].map((k) => after.reduce((sum, counts) => sum + counts[k], 0));
    };
    expect(games(empty)).toEqual([131_184, 77_904, 46_080]);
    expect(known.size).toBe(5_478);
  });

  it('is worth nothing, a corner against an edge is not, and a fork wins', () => {
    expect(payoffOf(empty)).toBe(0);
    expect(payoffOf(boardAfter(1, 2))).toBe(1);
    expect(payoffOf(boardAfter(1, 5))).toBe(0);
    expect(ticTacToe.sees(boardAfter(5, 1), 0)).toBe('o 2 3\n4 x 6\n7 8 9\nyou play x');
    expect(ticTacToeEnding(boardAfter(1, 4, 2, 5, 3), 1)).toBe('x x x\no o 6\n7 8 9\nyou lose');
  });

  it.each([0, 1])('is never lost by the perfect player in seat %i, whatever the other does', (own) => {
    const worst = (board: Board): number => {
      const seat = ticTacToe.toAct(board);
      if (seat === null) return ticTacToe.payoff(board, own);
      const chances = seat === own ? chancesOf(board, seat, 1) : null;
      const played = ticTacToe.actions(board).filter((_, a) => !chances || chances[a] > 0);
      return Math.min(...played.map((action) => worst(ticTacToe.play(board, action))));
    };
    expect(worst(empty)).toBe(0);
  });

  it('mixes best and random squares by the skill', () => {
    const board = boardAfter(1, 5, 2);
    const chances = chancesOf(board, 1, 0.4);
    // Only square 3 stops three in a row.
    expect(chances[ticTacToe.actions(board).indexOf('mark 3')]).toBeCloseTo(0.6 / 6 + 0.4, 12);
    expect(chances.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 12);
  });

  it('is won by the best answer to a random opponent in 191 of 192 games, and never against a perfect one', () => {
    expect(bestPayoff(empty, 0, 0)).toBeCloseTo(191 / 192, 12);
    expect(bestPayoff(empty, 0, 1)).toBe(0);
    expect(bestPayoff(empty, 1, 1)).toBe(0);
  });

  it.each([0, 1])('has no better player than the best answer in seat %i', (own) => {
    const skill = 0.5;
    /** Mean payoff of the seat if it plays like this against the opponent. */
    const worth = (board: Board, player: (board: Board, seat: number) => readonly number[]): number => {
      const seat = ticTacToe.toAct(board);
      if (seat === null) return ticTacToe.payoff(board, own);
      const chances = seat === own ? player(board, seat) : chancesOf(board, seat, skill);
      return ticTacToe
        .actions(board)
        .reduce(
          (sum, action, a) => (chances[a] > 0 ? sum + chances[a] * worth(ticTacToe.play(board, action), player) : sum),
          0,
        );
    };
    const best = worth(empty, bestResponse(skill));
    expect(best).toBeCloseTo(bestPayoff(empty, own, skill), 12);
    // The perfect player is safe, and gains less from the errors of this opponent.
    expect(best).toBeGreaterThan(worth(empty, (board, seat) => chancesOf(board, seat, 1)) + 0.01);
  });
});

/** Results of random games: wins, draws and losses of the policy. */
async function results(options: WorldOptions, games: number, split: Split = 'train') {
  const world = openTicTacToe();
  const tasks = (await world.tasks(parseTicTacToe(options), split)).slice(0, games);
  const count = { won: 0, drawn: 0, lost: 0, texts: [] as string[] };
  for (const task of tasks) {
    let [feedback] = await world.reset([0], [task]);
    for (let turn = 0; !feedback.done; turn++) {
      const action = randomAction(feedback.validActions ?? [], 3, task.id, turn);
      [feedback] = await world.step([0], [action]);
      count.texts.push(feedback.observation);
    }
    count[feedback.reward > 0 ? 'won' : feedback.reward < 0 ? 'lost' : 'drawn']++;
  }
  await world.close();
  return count;
}

describe('the world', () => {
  it('loses to nobody at full skill, and in random games as often as chance has it', async () => {
    expect((await results({ skill: 1 }, 200)).won).toBe(0);
    const { won, lost, drawn } = await results({ skill: 0, seat: 'first' }, 1000);
    // 0.585 of random games are won by the first seat, 0.288 by the second, 0.127 are drawn.
    expect(Math.abs(won / 1000 - 0.585)).toBeLessThan(0.06);
    expect(Math.abs(lost / 1000 - 0.288)).toBeLessThan(0.06);
    expect(won + lost + drawn).toBe(1000);
  });

  it('plays a task the same way each time, and held-out tasks with other draws', async () => {
    expect(await results({}, 30)).toEqual(await results({}, 30));
    expect((await results({}, 30, 'test')).texts).not.toEqual((await results({}, 30)).texts);
  });

  it('refuses a square that is taken, without a move of the other', async () => {
    const world = openTicTacToe();
    const [task] = await world.tasks(parseTicTacToe({ seat: 'first' }), 'train');
    await world.reset([0], [task]);
    const [first] = await world.step([0], ['mark 5']);
    const [again] = await world.step([0], ['mark 5']);
    expect(again.valid).toBe(false);
    expect(again.observation).toBe(first.observation);
    await world.close();
  });
});
