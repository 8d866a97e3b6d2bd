/** Makes a world module from an AgentGym kind: its facts, options and budgets. The client is in `world.ts`. */
import type { PromptRules, WorldOptions } from '../../envs/env.ts';
import type { WorldModule } from '../../envs/module.ts';
import type { AgentGymKind } from './kind.ts';
import { type AgentGymOptions, agentGymOptions } from './options.ts';

const DEFAULT_TIMEOUT_MS = 120_000;

const noTiny = { promptTokens: 256, completionTokens: 512, maxTokensPerTurn: 32 };

function promptRules(
  kind: AgentGymKind,
  { instruction, acknowledgement, format = 'react' }: AgentGymOptions,
): Partial<PromptRules> {
  const { reply, instruction: ours } = format === 'react' ? kind : kind.formats![format];
  return {
    reply,
    instruction: instruction || ours,
    acknowledgement: acknowledgement || kind.acknowledgement,
  };
}

export function agentGymWorld(kind: AgentGymKind): WorldModule {
  const options = agentGymOptions(kind);
  const read = (given: WorldOptions) => options(given) as unknown as AgentGymOptions;
  const module: WorldModule = {
    name: `agentgym-${kind.kind}`,
    title: `${kind.title} (AgentGym server)`,
    group: 'AgentGym servers',
    summary: kind.summary,
    instruction: kind.instruction,
    acknowledgement: kind.acknowledgement,
    reply: kind.reply,
    under: (given) => promptRules(kind, read(given)),
    credit: kind.credit,
    hasOracle: false,
    hasValidActions: kind.hasValidActions,
    successReward: kind.successReward,
    freeRunning: true,
    // Most kinds are deterministic, but opening a transcript must not send all its actions to somebody's server again.
    replayable: false,
    options,
    ...(kind.vocabulary && { vocabulary: kind.vocabulary }),
    budget: {
      tiny: kind.tiny ?? noTiny,
      language(given) {
        const { instruction } = read(given);
        const promptTokens = kind.budget.promptTokens + Math.ceil(instruction.length / 3);
        return { ...kind.budget, promptTokens };
      },
    },
    view: 'text',
    ...(kind.suites && { suites: kind.suites }),
    connection: { kind: 'http', timeoutMs: kind.timeoutMs ?? DEFAULT_TIMEOUT_MS },
    optionsFromFile: async (text) => ({ ...(await import('./agenttraj.ts')).instructionOf(text) }),
    check: async (settings, signal) => (await import('./check.ts')).checkAgentGym(kind, settings, signal),
    open: async (settings) => (await import('./world.ts')).AgentGymWorld.open(module, kind, settings),
  };
  return module;
}
