/**
 * ScienceWorld's module: description, options, budget. The rules are in envs-wasm/sciworld, the client in `world.ts`.
 */
import type { WorldModule } from '../../envs/module.ts';
import { sciworldDescription } from './description.ts';
import { namedThings } from './named-things.ts';
import { parseSciWorldOptions } from './options.ts';
import { sciworldSuites } from './suites.ts';
import { sciWorldTasks, upstreamItems } from './tasks.ts';

export const sciworld: WorldModule = {
  ...sciworldDescription,
  options: parseSciWorldOptions,
  vocabulary: {
    texts: namedThings,
    names: () => namedThings,
    play: {
      options: [
        { tasks: sciWorldTasks.map(({ name }) => name) },
        { tasks: ['find-plant', 'find-non-living-thing'], simplifications: ['easy'] },
      ],
      openings: 460,
      episodes: 90,
      randomTurns: 12,
      spread: true,
      probes: ['look around', 'inventory', 'task', 'wait1', 'dance', 'go to nowhere', 'open nothing', 'focus on air'],
      closing: ['inventory'],
    },
  },
  budget: {
    tiny: { promptTokens: 320, completionTokens: 1024, maxTokensPerTurn: 32 },
    // The first observation has at most 2,200 characters.
    language: () => ({ promptTokens: 1024, observationTokens: 90, oracleTurns: 24 }),
  },
  plain: 'An agent learns to do simple science experiments in a house of ten places.',
  pays: "The share of the experiment's points that it has at its last turn: 1 if complete, −1 if it fails.",
  view: 'sciworld',
  suites: sciworldSuites,
  connection: { kind: 'wasm' },
  agentgymItems: upstreamItems,
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async () => (await import('./world.ts')).SciWorld.open(),
};
