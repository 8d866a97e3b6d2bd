// Kuhn poker: the contract of a game with seats against its known equilibria and values, best responses against a
// search over all pure strategies, and the world that is made of it.
import { describe, expect, it, vi } from 'vitest';
import type { Strategy } from '../../src/envs/game.ts';
import { bestResponse, expectedPayoff, exploitability, seatLines, uniformStrategy } from '../../src/envs/game.ts';
import { against } from '../../src/envs/game-world.ts';
import { randomAction, uniformAt } from '../../src/envs/random-player.ts';
import { evaluationTasks } from '../../src/rl/schedule/tasks.ts';
import { kuhnEquilibrium, kuhnGame } from '../../src/worlds/kuhn/rules.ts';
import { openKuhn } from '../../src/worlds/kuhn/world.ts';

const lines = seatLines(kuhnGame);
const uniform = uniformStrategy(lines);
/** A strategy of random numbers. */
const randomly = (seed: number): Strategy =>
  Object.fromEntries(
    lines.map(({ information }, i) => {
      const first = uniformAt(seed, i, 0);
      return [information, [first, 1 - first]];
    }),
  );

describe('the game', () => {
  it('has six informations for each seat, with two actions', () => {
    expect(lines.filter(({ seat }) => seat === 0)).toHaveLength(6);
    expect(lines.filter(({ seat }) => seat === 1)).toHaveLength(6);
    expect(lines.every(({ turn }) => turn.offered.length === 2)).toBe(true);
  });

  it.each([0, 0.1, 1 / 3])('has an equilibrium that loses 1/18 and cannot be exploited, with bluffs of %f', (bluff) => {
    const strategy = kuhnEquilibrium(bluff);
    expect(expectedPayoff(kuhnGame, strategy, strategy)).toBeCloseTo(-1 / 18, 12);
    expect(bestResponse(kuhnGame, strategy, 0)).toBeCloseTo(-1 / 18, 12);
    expect(bestResponse(kuhnGame, strategy, 1)).toBeCloseTo(1 / 18, 12);
    expect(exploitability(kuhnGame, strategy)).toBeCloseTo(0, 12);
  });

  it('is exploited by 0.4583 where both seats play at random (OpenSpiel’s number), and by more off the equilibrium', () => {
    expect(exploitability(kuhnGame, uniform)).toBeCloseTo(11 / 24, 12);
    expect(exploitability(kuhnGame, kuhnEquilibrium(0.6))).toBeGreaterThan(0.01);
  });

  it('is refused exploitability if its payoffs do not sum to zero', () => {
    const shared = { ...kuhnGame, payoff: (...of: Parameters<typeof kuhnGame.payoff>) => kuhnGame.payoff(...of) + 0.5 };
    expect(() => exploitability(shared, uniform)).toThrow(/needs payoffs that sum to zero/);
  });

  it('has its ends listed once, however often exploitability is computed', () => {
    const play = vi.fn(kuhnGame.play);
    const game = { ...kuhnGame, play };
    const plays = [1, 2, 3].map(() => {
      const before = play.mock.calls.length;
      exploitability(game, uniform);
      return play.mock.calls.length - before;
    });
    expect(plays[0]).toBeGreaterThan(plays[1]);
    expect(plays[2]).toBe(plays[1]);
  });

  it.each([1, 2, 3])('has best responses equal to the best of all pure strategies (seed %i)', (seed) => {
    const other = randomly(seed);
    for (const seat of [0, 1]) {
      const own = lines.filter((line) => line.seat === seat).map(({ information }) => information);
      const pure = Array.from({ length: 2 ** own.length }, (_, bits) =>
        Object.fromEntries(own.map((information, i) => [information, (bits >> i) & 1 ? [0, 1] : [1, 0]])),
      );
      const payoffs = pure.map((strategy) =>
        seat === 0 ? expectedPayoff(kuhnGame, strategy, other) : -expectedPayoff(kuhnGame, other, strategy),
      );
      expect(bestResponse(kuhnGame, other, seat)).toBeCloseTo(Math.max(...payoffs), 12);
    }
  });
});

describe('the world', () => {
  it('pays on average what the strategies are worth, in either seat', async () => {
    const world = openKuhn();
    const strategy = randomly(7);
    const tasks = (await world.tasks({}, 'train')).map((task) => against(task, strategy));
    const slots = tasks.map((_, slot) => slot);
    const offered = (await world.reset(slots, tasks)).map(({ validActions }) => validActions!);
    const payoffs = new Float64Array(tasks.length);
    let playing = slots;
    for (let turn = 0; playing.length > 0; turn++) {
      const actions = playing.map((slot) => randomAction(offered[slot], 5, slot, turn));
      const answers = await world.step(playing, actions);
      answers.forEach(({ reward, done, valid, validActions }, i) => {
        expect(valid).toBe(true);
        if (done) payoffs[playing[i]] = reward;
        else offered[playing[i]] = validActions!;
      });
      playing = playing.filter((_, i) => !answers[i].done);
    }
    for (const seat of [0, 1]) {
      const own = payoffs.filter((_, i) => tasks[i].id % 2 === seat);
      const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
      const expected =
        seat === 0 ? expectedPayoff(kuhnGame, uniform, strategy) : -expectedPayoff(kuhnGame, strategy, uniform);
      // 6,000 games with payoffs of at most 2: three standard errors are below 0.06.
      expect(Math.abs(mean - expected)).toBeLessThan(0.06);
    }
  });

  it('is evaluated on each deal as often in each seat', async () => {
    const games = kuhnGame.deals.length * 2;
    const counts = new Array<number>(games).fill(0);
    for (const { id } of evaluationTasks(await openKuhn().tasks({}, 'test'), 25 * games)) counts[id % games]++;
    expect(counts).toEqual(new Array<number>(games).fill(25));
  });

  it('refuses other actions, gives the same answers again, and keeps to its seats', async () => {
    const world = openKuhn();
    const [task] = await world.tasks({ seat: 'second' }, 'test');
    expect(task.strata).toEqual({ seat: 'second' });
    const [start] = await world.reset([0], [task]);
    expect(start.observation).toMatch(/^you hold a (jack|queen|king) and move second \. the other (checks|bets)$/);
    const [refused] = await world.step([0], ['raise']);
    expect(refused).toMatchObject({ valid: false, done: false, observation: start.observation });
    const play = async () => {
      const [feedback] = await world.reset([0], [task]);
      return [feedback, (await world.step([0], [feedback.validActions![1]]))[0]];
    };
    expect(await play()).toEqual(await play());
    expect((await world.tasks({}, 'train')).filter(({ id }) => id % 2 === 0)).toHaveLength(6000);
  });
});
