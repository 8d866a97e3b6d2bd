/** Schema of tic-tac-toe's options. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { seatField } from '../../envs/seat-options.ts';
import { option, real } from '../../fields/fields.ts';

const schema = v.strictObject({
  seat: seatField,
  skill: option(real(0, 1), 0.5, {
    label: 'Skill of the opponent',
    sentence:
      'Share of the moves that the opponent chooses among the best, by a search of all positions; the others are random. At 1 it never loses.',
    level: 'basic',
    step: 0.1,
  }),
  instruction: instructionField,
});

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseTicTacToe = optionsReader('Tic-tac-toe', schema);
