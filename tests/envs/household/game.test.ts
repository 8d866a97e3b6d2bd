// Game files of ALFWorld: written and read again, played by their walkthrough, and refused by name.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../../scripts/build-wasm.mjs';
import type { Clause } from '../../../src/worlds/household/house.ts';
import { readGame, writeGame } from '../../../src/worlds/household/original/game.ts';
import { readProblem } from '../../../src/worlds/household/original/problem.ts';
import { Household } from '../../../src/worlds/household/world.ts';
import { answersHash, difference } from '../../../tools/household/reference.ts';
import { type Answer, answerOf, walk, walkHouse } from '../../../tools/household/walks.ts';
import recorded from '../fixtures/household.golden.json' with { type: 'json' };
import { play } from '../small-worlds.ts';

let world: Household;
beforeAll(async () => {
  await buildWasm();
  world = await Household.open();
});

/** Answers of the world to the commands of a recorded walk. */
async function answersTo(seed: number, dialect: 'put' | 'move', commands: readonly string[]): Promise<Answer[]> {
  const [start] = await world.resetHouses([0], [walkHouse(seed)], { dialect });
  let listed = start.validActions!;
  const answers = [answerOf(start, listed)];
  for (const feedback of await play(world, 0, commands)) {
    listed = feedback.validActions ?? listed;
    answers.push(answerOf(feedback, listed));
  }
  return answers;
}

describe('TextWorld with ALFWorld’s domain and grammar, recorded', () => {
  it('gives the same texts, commands, scores and ends', async () => {
    for (const { seed, dialect, commands, answers } of recorded) {
      const ours = await answersTo(seed, dialect as 'put' | 'move', commands);
      expect([seed, dialect, answersHash(ours)]).toEqual([seed, dialect, answers]);
    }
    expect(recorded.length).toBeGreaterThan(30);
  });
});

/** Clauses with their states in one order. */
const inOrder = (goal: readonly Clause[]) =>
  goal.map((clause) => (clause.type === 'place' ? { ...clause, states: [...clause.states].sort() } : clause));

describe('a game file', () => {
  it.each(['put', 'move'] as const)('is read as the house that it was written from: %s', async (dialect) => {
    for (let seed = 0; seed < 18; seed++) {
      const house = walkHouse(seed);
      await world.resetHouses([0], [house], { dialect });
      const [plan] = await world.oracle([0]);
      const game = readGame(writeGame(house, dialect, plan!));
      expect(game.dialect).toBe(dialect);
      const sorted = [...house.locations].sort();
      const place = (index: number | null) => (index === null ? null : sorted.indexOf(house.locations[index]));
      expect(game.house.receptacles).toEqual(
        house.receptacles.map((each) => ({ ...each, location: place(each.location) })),
      );
      expect(inOrder(game.house.goal)).toEqual(inOrder(house.goal));
      const made = await walk(world, seed, dialect, 12);
      const [start] = await world.resetHouses([0], [game.house], { dialect });
      let listed = start.validActions!;
      const answers = [answerOf(start, listed)];
      for (const feedback of await play(world, 0, made.commands)) {
        listed = feedback.validActions ?? listed;
        answers.push(answerOf(feedback, listed));
      }
      expect(difference(answers, made.answers)).toBeNull();
      await world.resetHouses([0], [game.house], { dialect });
      expect((await play(world, 0, game.walkthrough)).at(-1)).toMatchObject({ done: true, reward: 1, valid: true });
    }
  });
  const text = () => writeGame(walkHouse(3), 'move', []);
  const changed = (from: string, to: string) => {
    const game = text();
    expect(game).toContain(from);
    return () => readGame(game.replace(from, to));
  };
  it.each([
    ['(:action look', '(:action dance', /action "dance" that the household does not know/],
    ['(not (holdsany ?a))', '(holdsany ?a)', /action "pickupobject" has another precondition/],
    ['You open the', 'You unlock the', /rule "OpenObject.feedback" has other texts/],
    ['open {r}', 'unlock {r}', /action "openobject" has another command/],
    ['Your task is to: ', 'Please ', /task is not of the form/],
    ['(atLocation agent1', '(flies agent1', /states \(flies agent1/],
    ['(:goal (and (exists', '(:goal (and (forall', /goal is not known/],
    ['"pddl_problem"', '"problem"', /lacks "pddl_problem"/],
    ['"solvable":true', '"solvable":false', /not solvable/],
    ['(define (problem household)', '(define (problem household', /not one complete/],
  ])('with %s changed to %s is refused by name', (from, to, message) => {
    expect(changed(from, to)).toThrow(message);
  });
  it('may name its help in place, as a patch of older games does', () => {
    const game = JSON.parse(text());
    const help = /"Available commands[^"]*"|"\\nAvailable commands[^"]*"/.exec(game.grammar)![0];
    game.grammar = game.grammar.replace('#help.feedback#', JSON.parse(help));
    expect(readGame(JSON.stringify(game)).dialect).toBe('move');
  });
  it('is not read as something else: no JSON, several agents, things held', () => {
    expect(() => readGame('{')).toThrow(/not JSON/);
    const problem = JSON.parse(text()).pddl_problem as string;
    expect(() => readProblem(problem.replace(/\(atLocation agent1 \w+\)/, ''), '')).toThrow(/0 agents/);
    expect(() => readProblem(problem.replace('(:init', '(:init (holdsAny agent1)'), '')).toThrow(/empty hands/);
  });
});
