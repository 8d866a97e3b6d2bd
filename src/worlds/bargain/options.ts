/** Schema of the bargaining world's options. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { choice, option, real, whole } from '../../fields/fields.ts';

const schema = v.strictObject({
  seat: option(choice(['both', 'first', 'second']), 'both', {
    label: 'Seat',
    sentence: 'Seat of the policy: half of the games in each, or all in one.',
    level: 'basic',
    choiceLabels: { both: 'Both', first: 'First', second: 'Second' },
  }),
  opponent: option(choice(['conceding', 'chance']), 'conceding', {
    label: 'Opponent',
    sentence:
      'Player of the other seat: one who wants nine tenths of the value at first and three tenths in the end, or chance.',
    level: 'basic',
    choiceLabels: { conceding: 'Conceding', chance: 'Chance' },
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
  instruction: instructionField,
});

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseBargain = optionsReader('Bargaining', schema);
