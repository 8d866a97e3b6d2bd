/** Options that worlds with two seats share. */
import { choice, option, real, whole } from '../fields/fields.ts';
import type { WorldOptions } from './env.ts';
import type { LeagueRules } from './game.ts';

/** Field `seat` of a world whose seats are the first and the second. */
export const seatField = option(choice(['both', 'first', 'second']), 'both', {
  label: 'Seat',
  sentence: 'Seat of the policy: half of the games in each, or all in one.',
  level: 'basic',
  choiceLabels: { both: 'Both', first: 'First', second: 'Second' },
});

/** Numbers of the seats that a choice of `seatField` names. */
export const seatsOf = { both: [0, 1], first: [0], second: [1] } as const;

/** Fields of the earlier selves that are kept, with a world's own defaults. */
export const leagueFields = ({ every, size }: { every: number; size: number }) => ({
  leagueEvery: option(whole(1, 10_000), every, {
    label: 'Keep a self every',
    sentence: 'Steps between two earlier selves that are kept as opponents.',
    unit: 'steps',
  }),
  leagueSize: option(whole(0, 100), size, {
    label: 'Earlier selves',
    sentence: 'Number of earlier selves that are kept, the latest ones; 0: the policy plays against itself alone.',
    unit: 'selves',
  }),
  leagueOwn: option(real(0, 1), 0, {
    label: 'Games against the world’s own player',
    sentence:
      'Share of the games of a step against the player that evaluations are against; the others are against earlier selves or the present policy.',
    step: 0.1,
  }),
});

/** Share of the games against earlier selves, where half are against the present policy. */
export const leagueShareField = option(real(0, 1), 0.5, {
  label: 'Games against earlier selves',
  sentence:
    'Share of the games of a step against an earlier self, among those that the world’s own player does not play; the others are against the present policy.',
  step: 0.1,
});

/** Reader of a task's options, which may carry a strategy beside the world's own options. */
export const withoutStrategy =
  <Options>(parse: (options: WorldOptions) => Options) =>
  ({ strategy: _, ...own }: WorldOptions): Options =>
    parse(own);

/** Options of a world with `leagueFields` and its own share of games against earlier selves. */
interface LeagueOptions {
  leagueEvery: number;
  leagueSize: number;
  leagueShare: number;
  leagueOwn: number;
}

/** The league under these options. `name`: the world's own player. */
export const leagueOf = (
  { leagueEvery, leagueSize, leagueShare, leagueOwn }: LeagueOptions,
  name: string,
): LeagueRules => ({
  every: leagueEvery,
  size: leagueSize,
  share: leagueShare,
  own: { name, share: leagueOwn },
});
