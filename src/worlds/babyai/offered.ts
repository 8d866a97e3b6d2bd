/** What BabyAI's full text offers: the list at the end of each, as AgentGym has it. */
const list = /\nAvailable actions: (\[.*\])$/;

/** null: the last text has no list. `said`: the world's texts so far. */
export function offeredInBabyAi(said: readonly string[]): string[] | null {
  const found = list.exec(said.at(-1) ?? '')?.[1];
  if (!found) return null;
  try {
    return JSON.parse(found);
  } catch {
    return null;
  }
}
