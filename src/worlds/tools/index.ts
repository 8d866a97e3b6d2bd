/**
 * Worlds made of tools: named functions with JSON schemas over generated data. A family of tools is a world; its data,
 * tools and templates are loaded when it is opened.
 */
import type { WorldFamily, WorldModule } from '../../envs/module.ts';
import { descriptionOf, type Facts, todoFacts } from './facts.ts';
import type { ToolFamily } from './family.ts';

interface Parts {
  facts: Facts;
  family(): Promise<ToolFamily>;
  /** Words of its texts, beside those that playing collects. */
  texts(): Promise<readonly string[]>;
}

const families: readonly Parts[] = [
  {
    facts: todoFacts,
    family: async () => (await import('./todo/family.ts')).family,
    texts: async () => (await import('./todo/vocabulary.ts')).todoTexts(),
  },
];

function moduleOf({ facts, family, texts }: Parts): WorldModule {
  const description = descriptionOf(facts);
  return {
    ...description,
    group: 'Tools',
    options: facts.options,
    vocabulary: {
      texts,
      play: {
        options: [{ observation: 'brief' }],
        openings: 200,
        episodes: 60,
        randomTurns: 2,
        spread: true,
        probes: [],
        closing: [],
      },
    },
    budget: {
      tiny: { promptTokens: 64, completionTokens: 640, maxTokensPerTurn: 24 },
      language: () => ({
        promptTokens: 640,
        observationTokens: facts.observationTokens,
        oracleTurns: facts.oracleTurns,
      }),
    },
    plain: facts.plain,
    view: 'tools',
    connection: { kind: 'wasm' },
    agentgym: async () => (await import('./agentgym.ts')).agentGymForm(facts),
    open: async () => new (await import('./world.ts')).ToolWorld(description, facts.options, await family()),
  };
}

export const toolWorlds: WorldFamily = () => families.map(moduleOf);
