/** Schema of Kuhn poker's options. */
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
  opponent: option(choice(['self', 'equilibrium', 'chance']), 'self', {
    label: 'Opponent',
    sentence:
      'Player of the other seat in training: the policy itself and its earlier selves, an equilibrium, or chance. Evaluations, and games of a person, are against the equilibrium unless it is chance.',
    level: 'basic',
    choiceLabels: { self: 'Itself', equilibrium: 'Equilibrium', chance: 'Chance' },
  }),
  leagueEvery: option(whole(1, 10_000), 20, {
    label: 'Keep a self every',
    sentence: 'Steps between two earlier selves that are kept as opponents.',
    unit: 'steps',
  }),
  leagueSize: option(whole(0, 100), 8, {
    label: 'Earlier selves',
    sentence: 'Number of earlier selves that are kept, the latest ones; 0: the policy plays against itself alone.',
    unit: 'selves',
  }),
  leagueShare: option(real(0, 1), 0.5, {
    label: 'Games against earlier selves',
    sentence: 'Share of the games of a step against an earlier self; the others are against the present policy.',
    step: 0.1,
  }),
  instruction: instructionField,
});

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseKuhnOptions = optionsReader('Kuhn poker', schema);
