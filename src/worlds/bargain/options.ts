/** Schema of the bargaining world's options. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { leagueFields, seatField, withoutStrategy } from '../../envs/seat-options.ts';
import { choice, option, real, whole } from '../../fields/fields.ts';

const schema = v.strictObject({
  seat: seatField,
  opponent: option(choice(['self', 'conceding', 'chance']), 'conceding', {
    label: 'Opponent',
    sentence:
      'Player of the other seat in training: the policy itself and its earlier selves, one who wants nine tenths of the value at first and three tenths in the end, or chance. Evaluations, and games of a person, are against the conceding one unless it is chance.',
    level: 'basic',
    choiceLabels: { self: 'Itself', conceding: 'Conceding', chance: 'Chance' },
  }),
  turns: option(whole(2, 10), 6, {
    label: 'Turns',
    sentence: 'Largest number of offers of both seats, the acceptance included; after them there is no agreement.',
    unit: 'turns',
    level: 'basic',
  }),
  items: option(whole(4, 7), 5, {
    label: 'Goods',
    sentence: 'Number of goods in the pool, of three kinds.',
    unit: 'goods',
  }),
  discount: option(real(0.1, 1), 1, {
    label: 'Discount',
    sentence: 'Factor on what an agreement pays for each offer after the first. 1: waiting costs nothing.',
    step: 0.05,
  }),
  deals: option(whole(2, 400), 32, {
    label: 'Deals of self-play',
    sentence:
      'Number of different deals in training if the policy plays against itself: its strategy is computed for all of them.',
    unit: 'deals',
  }),
  ...leagueFields({ every: 10, size: 4 }),
  leagueShare: option(real(0, 1), 1, {
    label: 'Games against earlier selves',
    sentence:
      'Share of the games of a step against an earlier self, among those that the world’s own player does not play; the others are against the present policy, whose strategy is then computed at every step.',
    step: 0.1,
  }),
  instruction: instructionField,
});

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseBargain = optionsReader('Bargaining', schema);

/** Options of a task, which may carry a strategy beside the world's own options. */
export const ownOptions = withoutStrategy(parseBargain);
