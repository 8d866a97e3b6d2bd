/** Module of Wordle: its facts, options and budgets. The rules are in envs-wasm/wordle, the client in `world.ts`. */
import type { WorldModule } from '../../envs/module.ts';
import { wordleDescription } from './description.ts';
import { parseWordleOptions } from './options.ts';
import { upstreamItems } from './split.ts';

/** Number of words in each list. */
const listed: { [list: string]: number } = { original: 40, common: 1365, large: 3438 };

export const wordle: WorldModule = {
  ...wordleDescription,
  options: parseWordleOptions,
  vocabulary: {
    texts: [
      'no not1 not2 not3 not4 not5 at1 at2 at3 at4 at5',
      ...Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => `x${letter}`),
    ],
    play: {
      options: [{ observation: 'compact', spelled: true }, { spelled: true }, { upstream: true, spelled: true }],
      openings: 10,
      episodes: 30,
      randomTurns: 3,
      spread: true,
      probes: ['dance'],
      closing: [],
    },
    names: async (_, options) => (await import('./word-lists.ts')).wordsIn(options),
  },
  budget: {
    tiny: { promptTokens: 24, completionTokens: 192, maxTokensPerTurn: 8 },
    language: ({ showWords, list, words, drawn }) => ({
      // Each listed word takes two tokens and a line feed.
      promptTokens: 512 + (showWords ? 3 * (Number(drawn) || Number(words) || listed[String(list ?? 'common')]) : 0),
      observationTokens: 16,
      oracleTurns: 4,
    }),
  },
  plain: 'An agent learns to guess a hidden word of five letters.',
  view: 'wordle',
  connection: { kind: 'wasm' },
  agentgymItems: { items: upstreamItems },
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async () => (await import('./world.ts')).Wordle.open(),
};
