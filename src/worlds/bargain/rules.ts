/**
 * Bargaining over a pool of goods (Lewis et al. 2017, https://arxiv.org/abs/1706.05125), with the rules of OpenSpiel's
 * `bargaining`: two seats offer in turn what the other may have, until one accepts or the turns are used up. An accepted
 * offer pays each seat the value of its part, divided by the value of the whole pool; without an agreement both get 0.
 */
import { type Game, lineAt, type SeatLine } from '../../envs/game.ts';
import { type Deal, listsUpTo, TOTAL, worthOf } from './deals.ts';

/** A deal, what was offered so far, and if the last offer was accepted. */
export interface Talk {
  deal: Deal;
  /** Goods of each kind that the other seat may have. */
  offers: readonly (readonly number[])[];
  accepted: boolean;
}

export interface BargainRules {
  /** Largest number of offers and acceptances together. */
  turns: number;
  /** Factor on the payoffs for each offer after the first. */
  discount: number;
}

const accept = 'accept';
const offer = 'offer';
const nothing = 'nothing';

const seatAt = ({ offers }: Pick<Talk, 'offers'>): number => offers.length % 2;

/** The goods of each kind that a list leaves in the pool. */
export const restOf = ({ counts }: Deal, given: readonly number[]): number[] =>
  counts.map((count, kind) => count - given[kind]);

/** Goods that each seat gets by the last offer. */
function parts({ deal, offers }: Talk): [number[], number[]] {
  const given = [...offers[offers.length - 1]];
  const kept = restOf(deal, given);
  return offers.length % 2 === 1 ? [kept, given] : [given, kept];
}

/** Value of the last offer to a seat; null: none was made. */
export const offeredTo = (talk: Talk, seat: number): number | null =>
  talk.offers.length === 0 ? null : worthOf(parts(talk)[seat], talk.deal.values[seat]);

const listed = ({ goods }: Deal, counts: readonly number[]): string => {
  const some = goods.flatMap((name, kind) => (counts[kind] > 0 ? [`${counts[kind]} ${name}`] : []));
  return some.length > 0 ? some.join(', ') : nothing;
};

const offerText = (deal: Deal, given: readonly number[]): string => `${offer} ${listed(deal, given)}`;

const wholePool = (deal: Deal, seat: number): string =>
  deal.goods.map((name, kind) => `${deal.counts[kind]} ${name} worth ${deal.values[seat][kind]} each`).join(', ');

const offersOf = new WeakMap<Deal, ReadonlyMap<string, readonly number[]>>();
/** Goods of each kind that each offer gives to the other seat. */
export function offersIn(deal: Deal): ReadonlyMap<string, readonly number[]> {
  const known = offersOf.get(deal) ?? new Map(listsUpTo(deal.counts).map((given) => [offerText(deal, given), given]));
  offersOf.set(deal, known);
  return known;
}

/** The game under these rules. */
export const bargaining = ({ turns, discount }: BargainRules, deals: readonly Deal[]): Game<Talk> => ({
  seats: ['first', 'second'],
  memoryless: true,
  deals: deals.map((deal) => ({ deal, offers: [], accepted: false })),
  toAct: (talk) => (talk.accepted || talk.offers.length >= turns ? null : seatAt(talk)),
  actions: ({ deal, offers }) => [...offersIn(deal).keys(), ...(offers.length > 0 ? [accept] : [])],
  play: (talk, action) =>
    action === accept
      ? { ...talk, accepted: true }
      : { ...talk, offers: [...talk.offers, offersIn(talk.deal).get(action)!] },
  sees: (talk, seat) => {
    const { deal, offers } = talk;
    const last =
      offers.length === 0
        ? 'no offer yet'
        : `the other offers you ${listed(deal, parts(talk)[seat])}, worth ${offeredTo(talk, seat)}`;
    return `the pool: ${wholePool(deal, seat)}\n${last}\n${turns - offers.length} turns left`;
  },
  payoff: (talk, seat) => (talk.accepted ? (offeredTo(talk, seat)! / TOTAL) * discount ** (talk.offers.length - 1) : 0),
});

/** Text after the last turn. */
export function bargainEnding(talk: Talk, seat: number): string {
  if (!talk.accepted) return 'no agreement';
  const { deal } = talk;
  const [own, other] = [parts(talk)[seat], parts(talk)[1 - seat]];
  return (
    `agreed: you get ${listed(deal, own)}, worth ${offeredTo(talk, seat)}\n` +
    `the other gets ${listed(deal, other)}, worth ${offeredTo(talk, 1 - seat)} to it`
  );
}

/** The listed action that a text names, or the reason why there is none. */
export function readBargain(talk: Talk, text: string): { action: string } | { refusal: string } {
  const { deal, offers } = talk;
  const said = text.trim().toLowerCase();
  if (said === accept)
    return offers.length > 0 ? { action: accept } : { refusal: 'there is no offer to accept yet: make an offer' };
  if (!said.startsWith(`${offer} `))
    return { refusal: `say "accept", or "offer" and what the other may have, as in "${offerText(deal, deal.counts)}"` };
  const named = said.slice(offer.length).trim();
  const given = deal.counts.map(() => 0);
  if (named !== nothing)
    for (const part of named.split(',')) {
      const problem = addPart(deal, part.trim(), given);
      if (problem) return { refusal: problem };
    }
  return { action: offerText(deal, given) };
}

/** Adds one good of an offer, as in `2 oak planks`. Returns what is wrong with it. */
function addPart(deal: Deal, part: string, given: number[]): string | null {
  const space = part.indexOf(' ');
  const [number, name] = [part.slice(0, Math.max(0, space)), part.slice(space + 1).trim()];
  const kind = deal.goods.indexOf(name);
  if (kind < 0) return `an offer names a number and a good of the pool: ${listed(deal, deal.counts)}`;
  const count = Number(number);
  const most = deal.counts[kind];
  if (!Number.isInteger(count) || count < 1 || count > most || given[kind] > 0)
    return `offer 1 to ${most} ${name}, once, or leave it out`;
  given[kind] = count;
  return null;
}

/** The turns that a seat can have in a game of this deal. */
export function linesOf(game: Game<Talk>, opening: Talk, seat: number, turns: number): SeatLine[] {
  const lastOffers = [...offersIn(opening.deal).values()];
  return Array.from({ length: turns }, (_, turn) => turn)
    .filter((turn) => turn % 2 === seat)
    .flatMap((turn) =>
      (turn === 0 ? [[]] : lastOffers).map((last) => {
        // Of the earlier offers only the number can be seen.
        const talk = { ...opening, offers: new Array<readonly number[]>(turn).fill(last) };
        return lineAt(game, talk, seat);
      }),
    );
}
