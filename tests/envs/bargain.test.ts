// Bargaining: rules against games of OpenSpiel (tools/bargain/openspiel.py), deals, texts and refusals, the world's own
// players, and its games.
import { describe, expect, it } from 'vitest';
import type { Task, World } from '../../src/envs/env.ts';
import { uniformStrategy } from '../../src/envs/game.ts';
import { against } from '../../src/envs/game-world.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import { type Deal, dealsOf, worthOf } from '../../src/worlds/bargain/deals.ts';
import { gameOf, informationsOf } from '../../src/worlds/bargain/games.ts';
import { wishAt } from '../../src/worlds/bargain/players.ts';
import { bargainEnding, bargaining, readBargain, type Talk } from '../../src/worlds/bargain/rules.ts';
import { openBargain } from '../../src/worlds/bargain/world.ts';
import golden from './fixtures/bargain.golden.json' with { type: 'json' };

type Recorded = [number, number, number[], number[], number[], string, number[], [number, number]];

const goods = ['oak planks', 'stick', 'iron ingot'];

/** OpenSpiel's action, what the proposer keeps, as what the other seat may have. */
function actionOf(kept: string, { counts }: Deal): string {
  if (kept === 'a') return 'accept';
  const given = counts.flatMap((count, kind) => {
    const left = count - Number(kept[kind]);
    return left > 0 ? [`${left} ${goods[kind]}`] : [];
  });
  return `offer ${given.join(', ') || 'nothing'}`;
}

describe('the rules', () => {
  it('are OpenSpiel’s: legal actions, turns, ends and payoffs of 2,000 games', () => {
    let agreements = 0;
    for (const [turns, discount, counts, first, second, actions, offered, payoffs] of golden as Recorded[]) {
      const deal: Deal = { goods, counts, values: [first, second] };
      const game = bargaining({ turns, discount }, [deal]);
      let [talk] = game.deals;
      const legal: number[] = [];
      for (const [turn, kept] of actions.split(' ').entries()) {
        const all = new Set(game.actions(talk));
        const action = actionOf(kept, deal);
        if (game.toAct(talk) === turn % 2 && all.has(action)) legal.push(all.size);
        talk = game.play(talk, action);
      }
      expect([game.toAct(talk), legal]).toEqual([null, offered]);
      const paid = [0, 1].map((seat) => Math.round(game.payoff(talk, seat) * 1e10) / 1e10);
      expect(paid).toEqual(payoffs);
      if (talk.accepted) agreements++;
    }
    expect(golden).toHaveLength(2000);
    expect(agreements).toBeGreaterThan(500);
  });
});

const deal: Deal = {
  goods,
  counts: [2, 1, 1],
  values: [
    [1, 2, 6],
    [3, 4, 0],
  ],
};
const game = bargaining({ turns: 4, discount: 1 }, [deal]);
const talkAfter = (...actions: string[]): Talk => actions.reduce(game.play, game.deals[0]);

describe('the texts', () => {
  it('show the pool, the own values and the offer, and nothing of the other’s values', () => {
    expect(game.sees(talkAfter(), 0)).toBe(
      'the pool: 2 oak planks worth 1 each, 1 stick worth 2 each, 1 iron ingot worth 6 each\nno offer yet\n4 turns left',
    );
    expect(game.sees(talkAfter('offer 2 oak planks, 1 stick'), 1)).toBe(
      'the pool: 2 oak planks worth 3 each, 1 stick worth 4 each, 1 iron ingot worth 0 each\nthe other offers you 2 oak planks, 1 stick, worth 10\n3 turns left',
    );
    const others = { ...deal, values: [deal.values[0], [0, 0, 10]] as const };
    for (const talk of [talkAfter(), talkAfter('offer 1 stick', 'offer nothing')])
      expect(game.sees({ ...talk, deal: others }, 0)).toBe(game.sees(talk, 0));
    expect(bargainEnding(talkAfter('offer 2 oak planks, 1 stick', 'accept'), 0)).toBe(
      'agreed: you get 1 iron ingot, worth 6\nthe other gets 2 oak planks, 1 stick, worth 10 to it',
    );
  });

  it.each([
    ['accept', 'there is no offer to accept yet: make an offer'],
    [
      'give 1 stick',
      'say "accept", or "offer" and what the other may have, as in "offer 2 oak planks, 1 stick, 1 iron ingot"',
    ],
    ['offer 1 diamond', 'an offer names a number and a good of the pool: 2 oak planks, 1 stick, 1 iron ingot'],
    [
      'offer ',
      'say "accept", or "offer" and what the other may have, as in "offer 2 oak planks, 1 stick, 1 iron ingot"',
    ],
    ['offer 3 oak planks', 'offer 1 to 2 oak planks, once, or leave it out'],
    ['offer 0 stick', 'offer 1 to 1 stick, once, or leave it out'],
    ['offer 1 oak planks, 1 oak planks', 'offer 1 to 2 oak planks, once, or leave it out'],
    ['offer 1.5 oak planks', 'offer 1 to 2 oak planks, once, or leave it out'],
  ])('refuse "%s" with the bound', (text, refusal) => {
    expect(readBargain(talkAfter(), text)).toEqual({ refusal });
  });

  it('read goods in any order, and every listed action', () => {
    expect(readBargain(talkAfter(), ' Offer 1 stick,2 oak planks ')).toEqual({ action: 'offer 2 oak planks, 1 stick' });
    const talk = talkAfter('offer nothing');
    for (const action of game.actions(talk)) expect(readBargain(talk, action)).toEqual({ action });
  });
});

it.each([4, 5, 6, 7])('deals of %i goods are worth 10 to both, and no two are equal', (items) => {
  const deals = dealsOf(items, 1200);
  for (const { counts, values } of deals) {
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(items);
    expect(values.map((own) => worthOf(counts, own))).toEqual([10, 10]);
    expect(counts.some((_, kind) => values[0][kind] * values[1][kind] > 0)).toBe(true);
    expect(counts.every((_, kind) => values[0][kind] + values[1][kind] > 0)).toBe(true);
  }
  expect(new Set(deals.map((each) => JSON.stringify(each))).size).toBe(1200);
});

/** Rewards of games in which `choose` takes the policy's seat. */
async function play(
  world: World,
  tasks: readonly Task[],
  choose: (slot: number, offered: readonly string[], turn: number) => Promise<string>,
): Promise<number[]> {
  const rewards: number[] = [];
  for (const [slot, task] of tasks.entries()) {
    let [answer] = await world.reset([slot], [task]);
    for (let turn = 0; !answer.done; turn++)
      [answer] = await world.step([slot], [await choose(slot, answer.validActions!, turn)]);
    rewards.push(answer.reward);
  }
  return rewards;
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

describe('the world', () => {
  it('refuses with the reason and goes on, and gives the same game again', async () => {
    const world = openBargain();
    const [task] = await world.tasks({ seat: 'second' }, 'train');
    const [start] = await world.reset([0], [task]);
    expect(start.observation).toMatch(/^the pool: .*\nthe other offers you .*, worth \d+\n5 turns left$/);
    expect(await world.step([0], ['offer 9 anvils'])).toMatchObject([
      { valid: false, done: false, reward: 0, observation: expect.stringMatching(/^an offer names/) },
    ]);
    const actions = ['offer nothing', 'offer nothing', 'offer nothing'];
    const texts = async () => {
      await world.reset([0], [task]);
      return (await Promise.all(actions.map((action) => world.step([0], [action])))).flat();
    };
    expect(await texts()).toEqual(await texts());
    expect((await texts()).at(-1)).toMatchObject({ done: true, reward: 0, observation: 'no agreement' });
    await world.close();
  });

  it('pays once: an action after the end is refused and brings nothing', async () => {
    const world = openBargain();
    const [task] = await world.tasks({ seat: 'second' }, 'train');
    await world.reset([0], [task]);
    const [{ reward, observation }] = await world.step([0], ['accept']);
    expect(reward).toBeGreaterThan(0);
    for (const action of ['accept', 'offer nothing'])
      expect(await world.step([0], [action])).toEqual([
        { valid: false, done: true, reward: 0, observation, validActions: null },
      ]);
    await world.close();
  });

  it('holds deals out, and has tasks of both seats under the smallest settings', async () => {
    const world = openBargain();
    const [train, test] = [await world.tasks({}, 'train'), await world.tasks({ turns: 2, items: 4 }, 'test')];
    expect([train.length, test.length]).toEqual([2000, 400]);
    expect(new Set(train.map(({ id }) => id)).size).toBe(2000);
    expect(Math.max(...train.map(({ id }) => id))).toBeLessThan(Math.min(...test.map(({ id }) => id)));
    expect(train.slice(0, 2).map(({ strata }) => strata)).toEqual([{ seat: 'first' }, { seat: 'second' }]);
    await world.close();
  });

  it('has an oracle of the same knowledge as its seat, far above chance against both opponents', async () => {
    const world = openBargain();
    expect([wishAt(0, 6), wishAt(5, 6)].map((wish) => Math.round(wish * 10) / 10)).toEqual([9, 3]);
    for (const opponent of ['conceding', 'chance']) {
      const tasks = await world.tasks({ opponent }, 'test');
      const byOracle = await play(world, tasks, async (slot) => (await world.oracle([slot]))[0]![0]);
      const byChance = await play(world, tasks, async (slot, offered, turn) => randomAction(offered, 1, slot, turn));
      expect(mean(byOracle)).toBeGreaterThan(mean(byChance) + 0.15);
    }
    // The plan is played to its end: it is what the oracle does against this opponent.
    const [task] = await world.tasks({}, 'train');
    await world.reset([0], [task]);
    const plan = (await world.oracle([0]))[0]!;
    for (const [k, action] of plan.entries())
      expect((await world.step([0], [action]))[0].done).toBe(k === plan.length - 1);
    await world.close();
  });
});

describe('the measures of an agreement', () => {
  it('are those of every division, counted one by one, for both seats', async () => {
    const world = openBargain();
    const { measures, result } = world.describe().seats!;
    const measure = await measures!();
    const resultOf = await result();
    const own = { opponent: 'chance', items: 5, turns: 6 };
    const tasks = (await world.tasks(own, 'train')).slice(0, 300);
    const deals = gameOf(own).deals;
    let [agreed, optimal] = [0, 0];
    for (const [slot, task] of tasks.entries()) {
      let [answer] = await world.reset([slot], [task]);
      const actions: string[] = [];
      for (let turn = 0; !answer.done; turn++) {
        actions.push(randomAction(answer.validActions!, 5, slot, turn));
        [answer] = await world.step([slot], actions.slice(-1));
      }
      const { counts, values } = deals[Math.floor(task.id / 2)].deal;
      const divisions: [number, number][] = [];
      for (let a = 0; a <= counts[0]; a++)
        for (let b = 0; b <= counts[1]; b++)
          for (let c = 0; c <= counts[2]; c++) {
            const [first, second] = values;
            const rest = [counts[0] - a, counts[1] - b, counts[2] - c];
            divisions.push([
              a * first[0] + b * first[1] + c * first[2],
              rest[0] * second[0] + rest[1] * second[1] + rest[2] * second[2],
            ]);
          }
      const [seat, other] = [task.id % 2, 1 - (task.id % 2)];
      const numbers = answer.observation.match(/worth \d+/g)?.map((text) => Number(text.slice(6))) ?? [0, 0];
      const got: [number, number] = [numbers[seat], numbers[other]];
      expect(answer.reward * 10).toBeCloseTo(numbers[0], 10);
      expect(divisions.some(([x, y]) => x === got[0] && y === got[1]) || numbers[0] + numbers[1] === 0).toBe(true);
      const better = divisions.filter(([x, y]) => (x > got[0] && y >= got[1]) || (x >= got[0] && y > got[1]));
      const isAgreed = answer.observation.startsWith('agreed');
      expect(measure({ task, actions })).toEqual({
        agreements: isAgreed ? 1 : 0,
        jointValue: expect.closeTo((got[0] + got[1]) / Math.max(...divisions.map(([x, y]) => x + y)), 10),
        paretoOptimal: better.length === 0 ? 1 : 0,
        nashProduct: expect.closeTo((got[0] * got[1]) / 100, 10),
      });
      expect(resultOf({ task, actions }, answer.reward)).toBe(
        numbers[0] > numbers[1] ? 1 : numbers[0] < numbers[1] ? 0 : 0.5,
      );
      agreed += isAgreed ? 1 : 0;
      optimal += better.length === 0 ? 1 : 0;
    }
    expect([agreed > 30, optimal > 0, optimal < agreed]).toEqual([true, true, true]);
    await world.close();
  });
});

describe('self-play', () => {
  const options = { opponent: 'self', turns: 4, items: 4, deals: 6 };
  const { lines, partFor } = informationsOf(options);

  it('lists every information that its games have, with the actions', async () => {
    const world = openBargain();
    const known = new Map(lines.map(({ information, turn }) => [information, turn.offered]));
    const tasks = await world.tasks(options, 'train');
    const met = new Set<string>();
    for (const [slot, task] of tasks.entries()) {
      let [answer] = await world.reset([slot], [against(task, partFor!(task.id, uniformStrategy(lines)))]);
      for (let turn = 0; !answer.done; turn++) {
        expect(known.get(answer.observation)).toEqual(answer.validActions);
        met.add(answer.observation);
        [answer] = await world.step([slot], [randomAction(answer.validActions!, 3, slot, turn)]);
      }
    }
    // 6 deals, 12 offers or more before three of the four turns: random play meets most of them.
    expect(met.size).toBeGreaterThan(0.8 * lines.length);
    await world.close();
  });

  it('gives a task the part of a strategy that its other seat reads', async () => {
    const strategy = uniformStrategy(lines);
    const [first] = gameOf(options).deals;
    const own = partFor!(0, strategy);
    expect(Object.keys(own).length).toBeLessThan(lines.length / 6);
    for (const information of Object.keys(own))
      expect(information).toContain(`${first.deal.goods[0]} worth ${first.deal.values[1][0]} each`);
  });

  it('plays few deals often in training, and the held-out ones as before', async () => {
    const world = openBargain();
    const [train, test] = [await world.tasks(options, 'train'), await world.tasks(options, 'test')];
    const deals = new Set(train.map(({ id }) => Math.floor(id / 2) % gameOf(options).deals.length));
    expect([train.length, deals.size, test.length]).toEqual([2004, 6, 400]);
    await world.close();
  });
});
