/**
 * One round of sampling. Thoughts and actions have different bounds and end tokens, so a round takes two passes if some
 * rows think and others act.
 */
import type { Actor, GeneratedTurn, Sampling } from '../../policy/policy.ts';
import type { Conversation } from './conversation.ts';
import type { Episode } from './episode.ts';

export interface TurnSampling extends Pick<Sampling, 'temperature' | 'seed' | 'stream'> {
  /** Maximum number of tokens of an action, after its thought. */
  maxTokensPerTurn: number;
  /** Maximum number of tokens of a thought; absent or 0: none. */
  thoughts?: number;
}

/** Result per row: the thought or turn if it has ended, null if it continues. */
export async function sampleTurns(
  policy: Actor,
  { stopTokens, endOfThought }: Conversation,
  rows: readonly Episode[],
  { maxTokensPerTurn, thoughts = 0, temperature, seed, stream }: TurnSampling,
  signal?: AbortSignal,
): Promise<(GeneratedTurn | null)[]> {
  const turns = new Map<Episode, GeneratedTurn | null>();
  const passes = [
    { thinks: true, bound: { maxTokens: thoughts, stopTokens: [endOfThought] } },
    { thinks: false, bound: { maxTokens: maxTokensPerTurn, stopTokens } },
  ];
  for (const { thinks, bound } of passes) {
    const members = rows.filter((episode) => episode.thinking === thinks);
    if (members.length === 0) continue;
    const requests = members.map((episode) => episode.generateRow());
    const results = await policy.generate(requests, { temperature, seed, stream, ...bound }, signal);
    members.forEach((episode, i) => void turns.set(episode, results[i]));
  }
  return rows.map((episode) => turns.get(episode) ?? null);
}
