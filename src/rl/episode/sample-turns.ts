/**
 * One round of sampling. Thoughts, actions and summaries have different bounds and end tokens, so a round takes a pass
 * for each of these that some row is at.
 */
import type { Actor, GeneratedTurn, Sampling } from '../../policy/policy.ts';
import type { Conversation } from './conversation.ts';
import type { Episode } from './episode.ts';
import type { ContextRules } from './window.ts';

export interface TurnSampling extends Pick<Sampling, 'temperature' | 'seed' | 'stream'> {
  /** Maximum number of tokens of an action, after its thought. */
  maxTokensPerTurn: number;
  /** Maximum number of tokens of a thought; absent or 0: none. */
  thoughts?: number;
  /** Absent: each turn reads the whole episode. */
  context?: ContextRules;
}

/** Result per row: the thought, action or summary if it has ended, null if it continues. */
export async function sampleTurns(
  policy: Actor,
  { stopTokens, endOfThought }: Conversation,
  rows: readonly Episode[],
  { maxTokensPerTurn, thoughts = 0, context, temperature, seed, stream }: TurnSampling,
  signal?: AbortSignal,
): Promise<(GeneratedTurn | null)[]> {
  const turns = new Map<Episode, GeneratedTurn | null>();
  const passes = [
    { stage: 'thought', bound: { maxTokens: thoughts, stopTokens: [endOfThought] } },
    { stage: 'action', bound: { maxTokens: maxTokensPerTurn, stopTokens } },
    { stage: 'summary', bound: { maxTokens: context?.summaryTokens ?? 0, stopTokens } },
  ];
  for (const { stage, bound } of passes) {
    const members = rows.filter((episode) => episode.stage === stage);
    if (members.length === 0) continue;
    const requests = members.map((episode) => episode.generateRow());
    const results = await policy.generate(requests, { temperature, seed, stream, ...bound }, signal);
    members.forEach((episode, i) => void turns.set(episode, results[i]));
  }
  return rows.map((episode) => turns.get(episode) ?? null);
}
