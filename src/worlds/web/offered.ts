/** What the web's texts offer: in the terse form everything that can be clicked on stands at the start of a line, by its id. */
import type { WorldOptions } from '../../envs/env.ts';

/** null: these texts do not tell all that may be done under these options. `said`: the world's texts so far. */
export function offeredInWeb(said: readonly string[], { observation, verbs }: WorldOptions): string[] | null {
  if (observation !== 'terse' || String(verbs) !== 'click') return null;
  // The first line is the objective.
  const [, ...lines] = (said.at(-1) ?? '').split('\n');
  const ids = lines.flatMap((line) => /^\d+(?= |$)/.exec(line)?.[0] ?? []);
  return [...new Set(ids)].map((id) => `click [${id}]`);
}
