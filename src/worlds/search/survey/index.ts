/** Module of the survey: its facts, options and budgets. Universes and SQLite are loaded when the world is opened. */
import type { WorldModule } from '../../../envs/module.ts';
import { surveyDescription } from './description.ts';
import { parseSurveyOptions } from './options.ts';

export const survey: WorldModule = {
  ...surveyDescription,
  options: parseSurveyOptions,
  // Includes the names of universes of up to 200 articles. Names of larger ones are split into letters.
  vocabulary: { texts: async () => (await import('./vocabulary.ts')).surveyTexts() },
  budget: {
    tiny: { promptTokens: 64, completionTokens: 1536, maxTokensPerTurn: 24 },
    // A work has about 180 characters and a title 25.
    language: ({ documents, distractors, articles }) => ({
      promptTokens: 512,
      observationTokens: Math.max(12 * Number(documents ?? 5), 80 + 16 * Number(distractors ?? 1)),
      oracleTurns: 12 + Math.ceil(Number(articles ?? 60) / 4),
    }),
  },
  plain: 'An agent learns to find all works that fit, and to say why.',
  pays: 'How well the list fits, from 0 to 1: missing works count against it, and so do wrong ones.',
  view: 'search-survey',
  connection: {
    kind: 'wasm',
    timeoutMs: 300_000,
    token: 'optional',
    asksServer: ({ corpus }) => typeof corpus === 'string' && corpus !== '',
  },
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async (settings) => (await import('./world.ts')).SurveyWorld.open(settings),
};
