/** Schema of the options of proposer and solver. */
import * as v from 'valibot';
import type { WorldOptions } from '../../envs/env.ts';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { leagueFields } from '../../envs/seat-options.ts';
import { choice, option, real, whole } from '../../fields/fields.ts';

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
  leagueShare: option(real(0, 1), 0.5, {
    label: 'Games against earlier selves',
    sentence:
      'Share of the games of a step against an earlier self, among those that the world’s own player does not play; the others are against the present policy.',
    step: 0.1,
  }),
  instruction: instructionField,
});

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseProposer = optionsReader('Proposer and solver', schema);

/** Options of a task, which may carry a strategy beside the world's own options. */
export const ownOptions = ({ strategy: _, ...own }: WorldOptions) => parseProposer(own);
