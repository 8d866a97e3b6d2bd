// Twenty questions: every thing is found by five questions, the world's own players, and its games.
import { describe, expect, it } from 'vitest';
import {
  candidates,
  names,
  ownChances,
  properties,
  type Round,
  twentyQuestions,
} from '../../src/worlds/twenty-questions/rules.ts';
import { openTwentyQuestions } from '../../src/worlds/twenty-questions/world.ts';

const [empty] = twentyQuestions.deals;
const chosen = (thing: string): Round => twentyQuestions.play(empty, `choose ${thing}`);

describe('the game', () => {
  it('tells all things apart by its five properties, in any order', () => {
    for (const thing of names) {
      const answers = properties.reduce(
        (round, property) => twentyQuestions.play(round, `ask ${property}`),
        chosen(thing),
      );
      expect(candidates(answers)).toEqual([thing]);
      expect(twentyQuestions.actions(answers)).toEqual(names.map((name) => `name ${name}`));
    }
  });

  it('pays the asker for the right name and the keeper for any other', () => {
    for (const thing of names)
      for (const name of names)
        expect(twentyQuestions.payoff(twentyQuestions.play(chosen(thing), `name ${name}`), 0)).toBe(
          name === thing ? -1 : 1,
        );
  });

  it('is won by its own asker against every thing, in three to five questions', () => {
    const lengths = (round: Round): number[] => {
      if (twentyQuestions.toAct(round) === null) {
        expect(round.named).toBe(round.thing);
        return [round.asked.length];
      }
      const chances = ownChances(round, 1);
      expect(chances.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 12);
      return twentyQuestions
        .actions(round)
        .flatMap((action, a) => (chances[a] > 0 ? lengths(twentyQuestions.play(round, action)) : []));
    };
    const all = names.flatMap((name) => lengths(chosen(name)));
    // 17 things need five questions for some, by information.
    expect(Math.max(...all)).toBe(5);
    expect(Math.min(...all)).toBeGreaterThan(2);
  });
});

describe('the world', () => {
  it('answers the asker, refuses other actions, and gives the same game again', async () => {
    const world = openTwentyQuestions();
    const [task] = await world.tasks({}, 'train');
    expect(task.strata).toEqual({ seat: 'asker' });
    const play = async () => {
      const texts = [(await world.reset([0], [task]))[0].observation];
      for (const property of properties) texts.push((await world.step([0], [`ask ${property}`]))[0].observation);
      return texts;
    };
    const texts = await play();
    expect(texts[0]).toBe('5 questions left');
    expect(texts[5]).toMatch(/^flies (yes|no) \. 0 questions left$/);
    expect(await play()).toEqual(texts);
    const [refused] = await world.step([0], ['ask animal']);
    expect(refused).toMatchObject({ valid: false, done: false });
    const rewards: number[] = [];
    for (const name of names) {
      await play();
      rewards.push((await world.step([0], [`name ${name}`]))[0].reward);
    }
    expect(rewards.filter((reward) => reward === 1)).toHaveLength(1);
    expect(rewards.filter((reward) => reward === -1)).toHaveLength(names.length - 1);
    await world.close();
  });

  it('draws every thing about as often, and lets a keeper be found', async () => {
    const world = openTwentyQuestions();
    const asked = await world.tasks({}, 'train');
    const found = new Map<string, number>();
    for (const task of asked) {
      await world.reset([0], [task]);
      const [{ observation }] = await world.step([0], ['name spoon']);
      const thing = observation.split(' ')[3];
      found.set(thing, (found.get(thing) ?? 0) + 1);
    }
    expect([...found.keys()].sort()).toEqual([...names].sort());
    for (const count of found.values()) expect(count / asked.length).toBeGreaterThan(0.03);
    const [kept] = await world.tasks({ seat: 'keeper' }, 'test');
    await world.reset([0], [kept]);
    expect((await world.step([0], ['choose whale']))[0]).toMatchObject({
      reward: -1,
      done: true,
      observation: 'it is the whale . you lose',
    });
    await world.close();
  });

  it('has an oracle that finds every thing by what it has read', async () => {
    const world = openTwentyQuestions();
    const tasks = await world.tasks({}, 'test');
    /** Action after the questions and answers so far. */
    const actions = new Map<string, Set<string>>();
    for (const task of tasks) {
      let [{ observation, done, reward }] = await world.reset([0], [task]);
      for (let read = observation; !done; read += observation) {
        const [action] = (await world.oracle([0]))[0]!;
        actions.set(read, (actions.get(read) ?? new Set()).add(action));
        [{ observation, done, reward }] = await world.step([0], [action]);
      }
      expect(reward).toBe(1);
    }
    expect([...actions.values()].every((each) => each.size === 1)).toBe(true);
    expect(actions.size).toBeGreaterThan(names.length);
    await world.close();
  });
});
