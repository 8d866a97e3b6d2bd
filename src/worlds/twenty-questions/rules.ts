/**
 * Twenty questions with few things, and five questions: the keeper chooses a thing, the asker asks about its properties
 * and names it. A wrong name loses. The answers follow from the thing. Five questions tell all things apart.
 */
import type { Game } from '../../envs/game.ts';

export const properties = ['animal', 'made', 'big', 'water', 'flies'] as const;
type Property = (typeof properties)[number];

const things: { readonly [thing: string]: readonly Property[] } = {
  spoon: ['made'],
  house: ['made', 'big'],
  raft: ['made', 'water'],
  kite: ['made', 'flies'],
  ship: ['made', 'big', 'water'],
  airliner: ['made', 'big', 'flies'],
  flower: [],
  tree: ['big'],
  seaweed: ['water'],
  pollen: ['flies'],
  iceberg: ['big', 'water'],
  cat: ['animal'],
  elephant: ['animal', 'big'],
  goldfish: ['animal', 'water'],
  bat: ['animal', 'flies'],
  whale: ['animal', 'big', 'water'],
  duck: ['animal', 'water', 'flies'],
};
export const names = Object.keys(things);

/** Questions of a game; after them the asker must name a thing. */
const mostQuestions = 5;

export interface Round {
  /** Null: the keeper has not chosen yet. */
  thing: string | null;
  asked: readonly Property[];
  /** Thing that the asker named; null: none yet. */
  named: string | null;
}

const [keeper, asker] = [0, 1];
const [choose, ask, name] = ['choose', 'ask', 'name'];

/** Second word of an action. */
const objectOf = (action: string): string => action.slice(action.indexOf(' ') + 1);

/** Things that fit all answers. */
export const candidates = ({ thing, asked }: Round): string[] =>
  names.filter((each) => asked.every((property) => things[each].includes(property) === hasIt(thing, property)));

const hasIt = (thing: string | null, property: Property): boolean => thing !== null && things[thing].includes(property);

export const twentyQuestions: Game<Round> = {
  seats: ['keeper', 'asker'],
  deals: [{ thing: null, asked: [], named: null }],
  toAct: ({ thing, named }) => (named !== null ? null : thing === null ? keeper : asker),
  actions: ({ thing, asked }) => {
    if (thing === null) return names.map((each) => `${choose} ${each}`);
    const questions = asked.length < mostQuestions ? properties.map((property) => `${ask} ${property}`) : [];
    return [...questions, ...names.map((each) => `${name} ${each}`)];
  },
  play: (round, action) => {
    if (round.thing === null) return { ...round, thing: objectOf(action) };
    if (action.startsWith(name)) return { ...round, named: objectOf(action) };
    return { ...round, asked: [...round.asked, objectOf(action) as Property] };
  },
  sees: ({ thing, asked }, seat) => {
    if (seat === keeper) return 'choose a thing';
    const last = asked.at(-1);
    const left = `${mostQuestions - asked.length} questions left`;
    return last === undefined ? left : `${last} ${hasIt(thing, last) ? 'yes' : 'no'} . ${left}`;
  },
  payoff: ({ thing, named }, seat) => ((named === thing) === (seat === asker) ? 1 : -1),
};

/** Text after the name. */
export const roundEnding = ({ thing, named }: Round, seat: number): string =>
  `it is the ${thing} . you ${(named === thing) === (seat === asker) ? 'win' : 'lose'}`;

/** Each of the actions with the same probability, and the others with none. */
const evenly = (all: readonly string[], some: readonly string[]): number[] =>
  all.map((action) => (some.includes(action) ? 1 / some.length : 0));

/**
 * The world's own players: a keeper who chooses at random, and an asker who asks what divides the things that are left most
 * evenly, and names one of them when one is left or the questions are used up.
 */
export function ownChances(round: Round, seat: number): number[] {
  const actions = twentyQuestions.actions(round);
  if (seat === keeper) return evenly(actions, actions);
  const left = candidates(round);
  if (left.length === 1 || round.asked.length >= mostQuestions)
    return evenly(
      actions,
      left.map((each) => `${name} ${each}`),
    );
  const larger = (property: Property) => {
    const yes = left.filter((each) => things[each].includes(property)).length;
    return Math.max(yes, left.length - yes);
  };
  const least = Math.min(...properties.map(larger));
  return evenly(
    actions,
    properties.filter((property) => larger(property) === least).map((property) => `${ask} ${property}`),
  );
}
