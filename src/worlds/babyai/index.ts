/** BabyAI's module: description, options, budget. The rules are in envs-wasm/babyai, the client in `world.ts`. */
import type { WorldOptions } from '../../envs/env.ts';
import type { WorldModule } from '../../envs/module.ts';
import { babyaiDescription } from './description.ts';
import { listedInBabyAi } from './listed-actions.ts';
import { parseBabyAiOptions } from './options.ts';
import { LEVELS, upstreamItems } from './split.ts';
import { babyaiSuites } from './suites.ts';

const levels = Array.from({ length: LEVELS }, (_, index) => index + 1);

/** Options that play all levels, with one kind of observation. */
const everyLevel = (observation: 'full' | 'compact', upstream: boolean): WorldOptions => ({
  levels,
  observation,
  trainSeeds: 25,
  testSeeds: 1,
  upstream,
});

export const babyai: WorldModule = {
  ...babyaiDescription,
  options: parseBabyAiOptions,
  vocabulary: {
    play: {
      options: [
        everyLevel('full', false),
        everyLevel('compact', false),
        everyLevel('full', true),
        everyLevel('compact', true),
      ],
      openings: Infinity,
      episodes: 160,
      randomTurns: 12,
      spread: true,
      probes: [
        'check available actions',
        'move forward',
        'dance',
        'go to red ball 9',
        'pickup red ball 9',
        'go through red open door 9',
        'toggle and go through red closed door 9',
        'toggle and go through red locked door 9',
        'toggle',
        'drop',
      ],
      closing: ['inventory'],
    },
  },
  budget: {
    tiny: { promptTokens: 128, completionTokens: 1024, maxTokensPerTurn: 16 },
    // An opening has at most 2,300 characters.
    language: ({ observation }) => ({
      promptTokens: 1024,
      observationTokens:
        observation === 'full' ? 160 : observation === 'memory' || observation === 'frontier' ? 120 : 80,
      oracleTurns: 12,
    }),
  },
  plain: 'An agent learns to follow instructions such as “go to the red ball” in a small room.',
  pays: 'Nearly 1 for a quick success, less for a slow one, at least 0.1; 0 without a success.',
  view: 'babyai',
  suites: babyaiSuites,
  connection: { kind: 'wasm' },
  listedActions: listedInBabyAi,
  agentgymItems: upstreamItems,
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async () => (await import('./world.ts')).BabyAi.open(),
};
