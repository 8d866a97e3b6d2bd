/** Schema of Kuhn poker's options. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { leagueFields, leagueShareField, seatField } from '../../envs/seat-options.ts';
import { choice, option } from '../../fields/fields.ts';

const schema = v.strictObject({
  seat: seatField,
  opponent: option(choice(['self', 'equilibrium', 'chance']), 'self', {
    label: 'Opponent',
    sentence:
      'Player of the other seat in training: the policy itself and its earlier selves, an equilibrium, or chance. Evaluations, and games of a person, are against the equilibrium unless it is chance.',
    level: 'basic',
    choiceLabels: { self: 'Itself', equilibrium: 'Equilibrium', chance: 'Chance' },
  }),
  ...leagueFields({ every: 20, size: 8 }),
  leagueShare: leagueShareField,
  instruction: instructionField,
});

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseKuhnOptions = optionsReader('Kuhn poker', schema);
