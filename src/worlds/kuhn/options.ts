/** Schema of Kuhn poker's options. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { leagueFields, seatField } from '../../envs/seat-options.ts';
import { choice, option, real } from '../../fields/fields.ts';

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
  leagueShare: option(real(0, 1), 0.5, {
    label: 'Games against earlier selves',
    sentence:
      'Share of the games of a step against an earlier self, among those that the world’s own player does not play; the others are against the present policy.',
    step: 0.1,
  }),
  instruction: instructionField,
});

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseKuhnOptions = optionsReader('Kuhn poker', schema);
