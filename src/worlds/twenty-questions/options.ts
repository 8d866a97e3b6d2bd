/** Schema of twenty questions' options. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { choice, option } from '../../fields/fields.ts';

const schema = v.strictObject({
  seat: option(choice(['asker', 'keeper', 'both']), 'asker', {
    label: 'Seat',
    sentence: 'Seat of the policy: it asks, it chooses the thing, or half of the games in each.',
    level: 'basic',
    choiceLabels: { asker: 'Asker', keeper: 'Keeper', both: 'Both' },
  }),
  instruction: instructionField,
});

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseTwentyQuestions = optionsReader('Twenty questions', schema);
