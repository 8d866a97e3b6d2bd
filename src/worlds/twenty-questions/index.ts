/** Module of twenty questions: its facts, options and budgets. The rules are in `rules.ts`. */
import type { WorldModule } from '../../envs/module.ts';
import { twentyQuestionsDescription } from './description.ts';
import { parseTwentyQuestions } from './options.ts';
import { names, properties } from './rules.ts';

export const twentyQuestions: WorldModule = {
  ...twentyQuestionsDescription,
  options: parseTwentyQuestions,
  vocabulary: {
    texts: [
      names.join(' '),
      properties.join(' '),
      'choose ask name a thing 0 1 2 3 4 5 questions left yes no .',
      'it is the . you win lose',
    ],
  },
  budget: {
    tiny: { promptTokens: 16, completionTokens: 80, maxTokensPerTurn: 4 },
    language: () => ({ promptTokens: 320, observationTokens: 16, oracleTurns: 6 }),
  },
  plain: 'An agent learns which questions tell things apart.',
  pays: '1 for a win, −1 for a loss.',
  view: 'text',
  connection: { kind: 'wasm' },
  open: async () => (await import('./world.ts')).openTwentyQuestions(),
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
};
