/**
 * Worlds made of tools: named functions with JSON schemas over generated data. A family of tools is a world; its data,
 * tools and templates are loaded when it is opened.
 */
import type { WorldFamily, WorldModule } from '../../envs/module.ts';
import { descriptionOf, type Facts } from './facts.ts';
import type { ToolFamily } from './family.ts';
import { filmFacts } from './films/facts.ts';
import { paperFacts } from './papers/facts.ts';
import { tableFacts } from './table/facts.ts';
import { todoFacts } from './todo/facts.ts';
import { weatherFacts } from './weather/facts.ts';

interface Parts {
  facts: Facts;
  family(): Promise<ToolFamily>;
  /** Words of its texts, beside those that playing collects. */
  texts(): Promise<readonly string[]>;
}

const families: readonly Parts[] = [
  {
    facts: filmFacts,
    family: async () => (await import('./films/family.ts')).family,
    texts: async () => (await import('./films/vocabulary.ts')).filmTexts(),
  },
  {
    facts: paperFacts,
    family: async () => (await import('./papers/family.ts')).family,
    texts: async () => (await import('./papers/vocabulary.ts')).paperTexts(),
  },
  {
    facts: tableFacts,
    family: async () => (await import('./table/family.ts')).family,
    texts: async () => (await import('./table/vocabulary.ts')).tableTexts(),
  },
  {
    facts: todoFacts,
    family: async () => (await import('./todo/family.ts')).family,
    texts: async () => (await import('./todo/vocabulary.ts')).todoTexts(),
  },
  {
    facts: weatherFacts,
    family: async () => (await import('./weather/family.ts')).family,
    texts: async () => (await import('./weather/vocabulary.ts')).weatherTexts(),
  },
];

/** Room for the instruction, with at least three characters a token, and for a chat template and the goal. */
const promptTokens = (instruction: string) => 64 * Math.ceil((instruction.length / 3 + 256) / 64);

function moduleOf({ facts, family, texts }: Parts): WorldModule {
  const description = descriptionOf(facts);
  const listed = `${description.callInstruction}${JSON.stringify(description.tools)}`;
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
      language: ({ calls }) => ({
        promptTokens: promptTokens(calls ? listed : description.instruction),
        observationTokens: facts.observationTokens,
        oracleTurns: facts.oracleTurns,
      }),
    },
    plain: facts.plain,
    pays: '1 for a success; before, half of the share of steps on the way that are done.',
    view: 'tools',
    connection: { kind: 'wasm' },
    agentgym: async () => (await import('./agentgym.ts')).agentGymForm(facts),
    open: async () => new (await import('./world.ts')).ToolWorld(description, facts.options, await family()),
  };
}

export const toolWorlds: WorldFamily = () => families.map(moduleOf);
