/**
 * Module of Search: its facts, options and budgets. The client (universes, SQLite) is loaded when the world is opened.
 */
import type { CorpusWorld } from '../../corpus/corpus-world.ts';
import { searchDescription } from './description.ts';
import { parseSearchOptions } from './options.ts';
import { searchSuites } from './suites.ts';

export const search: CorpusWorld = {
  ...searchDescription,
  options: parseSearchOptions,
  // Includes the names of small universes. Names of larger ones are split into letters.
  vocabulary: { texts: async () => (await import('./vocabulary.ts')).searchTexts() },
  budget: {
    tiny: { promptTokens: 48, completionTokens: 512, maxTokensPerTurn: 16 },
    // An article of 8 facts and an aside has about 230 characters, one of 12 facts and 10 asides 1,000.
    language: ({ documents, facts, distractors, hops, upstream }) => ({
      promptTokens: upstream ? 1024 : 512,
      observationTokens: 24 + Number(documents ?? 3) * (20 + 12 * (Number(facts ?? 8) + Number(distractors ?? 1))),
      oracleTurns: 1 + Math.max(...((hops as number[] | undefined) ?? [1, 2])),
    }),
  },
  plain: 'An agent learns to answer questions by looking them up.',
  view: 'search',
  suites: searchSuites,
  // Long, because opening may include indexing a universe of 100,000 articles.
  connection: { kind: 'wasm', timeoutMs: 60_000, asksServer: ({ retriever }) => retriever === true },
  check: async (settings, signal) => (await import('./check.ts')).checkRetriever(settings, signal),
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async (settings) => (await import('./world.ts')).Search.open(settings),
  openOver: async (retriever, questions) =>
    new (await import('./question-world.ts')).QuestionWorld(retriever, questions),
};
