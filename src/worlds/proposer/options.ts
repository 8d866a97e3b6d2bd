/** Schema of the options of proposer and solver. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { leagueFields, leagueShareField, withoutStrategy } from '../../envs/seat-options.ts';
import { choice, option, whole } from '../../fields/fields.ts';

const schema = v.strictObject({
  seat: option(choice(['both', 'proposer', 'solver']), 'solver', {
    label: 'Seat',
    sentence: 'Seat of the policy: half of the games in each, or all in one.',
    level: 'basic',
    choiceLabels: { both: 'Both', proposer: 'Proposer', solver: 'Solver' },
  }),
  opponent: option(choice(['self', 'own', 'chance']), 'own', {
    label: 'Opponent',
    sentence:
      'Player of the other seat in training: the policy itself and its earlier selves, one who draws any room and takes the shortest way, or chance. Evaluations are against the second unless it is chance.',
    level: 'basic',
    choiceLabels: { self: 'Itself', own: 'Any room, shortest way', chance: 'Chance' },
  }),
  moves: option(whole(1, 4), 4, {
    label: 'Moves of the proposer',
    sentence: 'Largest number of moves to the room that it proposes.',
    unit: 'moves',
    level: 'basic',
  }),
  ...leagueFields({ every: 10, size: 8 }),
  leagueShare: leagueShareField,
  instruction: instructionField,
});

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseProposer = optionsReader('Proposer and solver', schema);

/** Options of a task, which may carry a strategy beside the world's own options. */
export const ownOptions = withoutStrategy(parseProposer);
