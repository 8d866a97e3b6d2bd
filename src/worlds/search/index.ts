/** Search's module: what it is and what it needs. What plays it (universes, an index in SQLite) is loaded when it is opened. */
import type { CorpusWorld } from '../../corpus/corpus-world.ts';
import { parseSearchOptions } from './options.ts';
import { searchReply } from './reply.ts';
import { searchSuites } from './suites.ts';

export const search: CorpusWorld = {
  name: 'search',
  title: 'Search',
  summary: 'Answer a question by searching a wiki that no one has read, in as many searches as it takes.',
  // Our own words for what the originals' instructions say; the tags are the same.
  instruction:
    'Answer the question. You do not know the answer yet: look it up with a search engine.\n' +
    'Each turn, think inside <think>...</think>, then do one thing. To search, write the words to search for as <search>words</search> and stop; the best documents come back. ' +
    'To answer, write <answer>the answer</answer>, in as few words as it takes; for example, <answer>Beijing</answer>.\n' +
    'A question may need several searches: look up what the first document names, and go on from there.\n',
  reply: searchReply,
  credit:
    "SearchQA of AgentGym (arXiv 2509.08755), github.com/WooooDyy/AgentGym, MIT, after Search-R1 (arXiv 2503.09516), github.com/PeterGriffinJin/Search-R1, Apache-2.0; made universes after the idea of PhantomWiki (arXiv 2502.20377). The program and the universes are this project's own.",
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
  options: parseSearchOptions,
  // Names of small universes; those of larger ones are read letter by letter.
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
  view: 'search',
  suites: searchSuites,
  // A universe of 100,000 articles takes a while to index.
  connection: { kind: 'wasm', timeoutMs: 60_000, asksServer: ({ retriever }) => retriever === true },
  check: async (settings, signal) => (await import('./check.ts')).checkRetriever(settings, signal),
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async (settings) => (await import('./world.ts')).Search.open(settings),
  openOver: async (retriever, questions) =>
    new (await import('./question-world.ts')).QuestionWorld(retriever, questions),
};
