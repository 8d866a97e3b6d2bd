// Proposer and solver: the house, what both seats are paid by Sukhbaatar's rule, the informations of self-play against
// all positions of the game, and the world's own players.
import { describe, expect, it } from 'vitest';
import { informationOf, opening } from '../../src/envs/game.ts';
import { proposerDescription } from '../../src/worlds/proposer/description.ts';
import { informationsOf, resultOf, walkPlay } from '../../src/worlds/proposer/games.ts';
import { ownMover, shortestWay } from '../../src/worlds/proposer/players.ts';
import { nextTo, rooms, type Walk, walking } from '../../src/worlds/proposer/rules.ts';
import { openProposer } from '../../src/worlds/proposer/world.ts';

const moves = 4;
const game = walking(moves);
const dealOf = (start: string): Walk => game.deals[rooms.indexOf(start)];
const played = (start: string, actions: readonly string[]): Walk => actions.reduce(game.play, dealOf(start));

/** Number of doors between two rooms, by relaxing the distances of all pairs (Floyd and Warshall). */
function distances(): Map<string, number> {
  const key = (a: string, b: string) => `${a} ${b}`;
  const far = new Map(
    rooms.flatMap((a) => rooms.map((b): [string, number] => [key(a, b), a === b ? 0 : nextTo[a].includes(b) ? 1 : 99])),
  );
  for (const over of rooms)
    for (const a of rooms)
      for (const b of rooms)
        far.set(key(a, b), Math.min(far.get(key(a, b))!, far.get(key(a, over))! + far.get(key(over, b))!));
  return far;
}

/** All walks of the proposer from a room, settled. */
function proposed(walk: Walk): Walk[] {
  return game.toAct(walk) === 0 ? game.actions(walk).flatMap((action) => proposed(game.play(walk, action))) : [walk];
}

describe('the game', () => {
  it('has doors that lead both ways, and shortest ways of at most four moves', () => {
    const far = distances();
    for (const a of rooms)
      for (const b of rooms) {
        expect(nextTo[a].includes(b)).toBe(nextTo[b].includes(a));
        expect(shortestWay(a, b)).toHaveLength(far.get(`${a} ${b}`)!);
      }
    expect(Math.max(...far.values())).toBe(4);
  });

  it('pays the solver for few moves, and the proposer for those that the solver needs more', () => {
    const tried = ['go hall', 'go library', 'go garden'];
    const payoffs = (actions: readonly string[], start = 'kitchen') => {
      const end = played(start, actions);
      expect(game.toAct(end)).toBeNull();
      return [game.payoff(end, 0), game.payoff(end, 1)];
    };
    expect(payoffs(['go cellar', 'go garden', 'stop', ...tried])).toEqual([1 / 9, 6 / 9]);
    expect(payoffs(['go hall', 'go library', 'go garden', 'stop', 'go cellar', 'go garden'])).toEqual([0, 7 / 9]);
    const lost = new Array(4).fill(['go cellar', 'go kitchen']).flat();
    expect(payoffs(['go hall', 'stop', ...lost])).toEqual([8 / 9, 0]);
    // With its eighth move it still arrives, for what counts as a success.
    const late = ['go library', ...new Array(3).fill(['go hall', 'go library']).flat(), 'go garden'];
    const [, least] = payoffs(['go library', 'go garden', 'stop', ...late], 'hall');
    expect(least).toBe(proposerDescription.successReward);
  });

  it('proposes another room than the first, after at most its moves', () => {
    for (const start of rooms) {
      const ends = proposed(dealOf(start));
      expect(new Set(ends.map(({ shown }) => shown.at(-1)))).toEqual(
        new Set(rooms.filter((room) => room !== start && shortestWay(start, room).length <= moves)),
      );
      for (const { shown } of ends) expect([shown.length >= 1, shown.length <= moves]).toEqual([true, true]);
    }
  });

  it('lists for self-play every turn that a seat can have, with its actions, and no other', () => {
    const known = new Map<string, readonly string[]>();
    const note = (walk: Walk) => known.set(informationOf(game, opening(walk), game.toAct(walk)!), game.actions(walk));
    const walkOn = (walk: Walk): void => {
      if (game.toAct(walk) !== 0) return;
      note(walk);
      for (const action of game.actions(walk)) walkOn(game.play(walk, action));
    };
    rooms.forEach((start) => walkOn(dealOf(start)));
    for (const target of rooms)
      for (const start of rooms) if (start !== target) note({ start, shown: [target], stopped: true, tried: [] });
    const { lines, partFor } = informationsOf({ moves });
    expect(new Map(lines.map(({ information, turn }) => [information, turn.offered]))).toEqual(known);
    expect(lines).toHaveLength(known.size);
    const whole = Object.fromEntries(lines.map(({ information, turn }) => [information, turn.offered.map(() => 1)]));
    // A solver meets the proposer of its deal, who sees only rooms that it can reach from the first one.
    for (const [deal, start] of rooms.entries()) {
      const own = Object.keys(partFor!(2 * deal + 1, whole));
      expect(own.every((text) => text.includes(`began in the ${start} and`))).toBe(true);
      expect(own.length).toBeGreaterThan(5);
    }
    expect(Object.keys(partFor!(0, whole)).every((text) => text.startsWith('get to the'))).toBe(true);
  });
});

describe("the world's own players", () => {
  it('propose each room within their moves as often, by a shortest way', () => {
    const mover = ownMover(moves);
    for (const start of rooms) {
      const chances = new Map<string, number>();
      const walkOn = (walk: Walk, chance: number): void => {
        if (game.toAct(walk) !== 0) {
          const room = walk.shown.at(-1)!;
          expect(walk.shown).toEqual(shortestWay(start, room));
          chances.set(room, (chances.get(room) ?? 0) + chance);
          return;
        }
        const each = mover(walk, 0);
        game.actions(walk).forEach((action, a) => {
          if (each[a] > 0) walkOn(game.play(walk, action), chance * each[a]);
        });
      };
      walkOn(dealOf(start), 1);
      expect([...chances.keys()].sort()).toEqual(rooms.filter((room) => room !== start));
      for (const chance of chances.values()) expect(chance).toBeCloseTo(1 / 7, 12);
    }
  });

  it('solve by a shortest way, so that no proposer is paid', async () => {
    const world = openProposer();
    const far = distances();
    for (const task of await world.tasks({ seat: 'solver' }, 'test')) {
      let [{ observation, done, reward }] = await world.reset([0], [task]);
      const [, target, room] = /^get to the (\w+) : you are in the (\w+) /.exec(observation)!;
      const [plan] = await world.oracle([0]);
      for (const action of plan!) [{ observation, done, reward }] = await world.step([0], [action]);
      expect([done, reward]).toEqual([true, (9 - far.get(`${room} ${target}`)!) / 9]);
    }
    for (const task of (await world.tasks({ seat: 'proposer' }, 'test')).slice(0, 200)) {
      await world.reset([0], [task]);
      const actions: string[] = [];
      for (let done = false, turn = 0; !done; turn++) {
        const offered = game.actions(actions.reduce(game.play, game.deals[Math.floor(task.id / 2) % rooms.length]));
        actions.push(offered[(task.id + turn) % offered.length]);
        let reward = 0;
        [{ done, reward }] = await world.step([0], actions.slice(-1));
        if (done) expect(reward).toBe(0);
      }
      expect(resultOf({ task, actions })).toBe(0);
    }
    await world.close();
  });
});

it('refuses what the game does not offer, with what the seat sees', async () => {
  const world = openProposer();
  const [task] = await world.tasks({ seat: 'solver', opponent: 'chance' }, 'train');
  const [{ observation }] = await world.reset([0], [task]);
  expect((await world.step([0], ['stop']))[0]).toMatchObject({ valid: false, done: false, reward: 0, observation });
  expect(walkPlay.game(task.options).seats).toEqual(['proposer', 'solver']);
  await world.close();
});
