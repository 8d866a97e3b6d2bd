/** Valid actions listed at the end of BabyAI's full observation, in AgentGym's format. */
const list = /\nAvailable actions: (\[.*\])$/;

/**
 * Returns the actions in the last observation's list, or null if it has no list. `observations`: the world's texts so
 * far.
 */
export function listedInBabyAi(observations: readonly string[]): string[] | null {
  const found = list.exec(observations.at(-1) ?? '')?.[1];
  if (!found) return null;
  try {
    return JSON.parse(found);
  } catch {
    return null;
  }
}
