/** Module of SQL: its facts, options and budgets. SQLite is loaded when the world is opened. */
import type { WorldModule } from '../../envs/module.ts';
import { sqlDescription } from './description.ts';
import { parseSqlOptions } from './options.ts';

export const sql: WorldModule = {
  ...sqlDescription,
  options: parseSqlOptions,
  vocabulary: {
    texts: async () => (await import('./vocabulary.ts')).sqlTexts(),
    play: {
      options: [{ observation: 'brief', rows: 100, instances: 4, testInstances: 4 }],
      openings: 200,
      episodes: 60,
      randomTurns: 2,
      spread: true,
      probes: ['query SELECT nothing'],
      closing: [],
    },
  },
  budget: {
    tiny: { promptTokens: 96, completionTokens: 512, maxTokensPerTurn: 64 },
    language: ({ upstream, tables, schema, calls }) => ({
      promptTokens: (calls ? 768 : 512) + (upstream || schema === 'shown' ? 60 * Number(tables ?? 4) : 0),
      observationTokens: 320,
      oracleTurns: upstream ? 1 : 5,
    }),
  },
  plain: 'An agent learns to answer questions about a database by writing SQL.',
  view: 'sql',
  connection: { kind: 'wasm', timeoutMs: 60_000 },
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  ownFiles: { kind: 'databases', option: 'database' },
  open: async () => (await import('./world.ts')).Sql.open(),
};
