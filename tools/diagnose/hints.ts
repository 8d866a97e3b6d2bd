/** Hints over a whole run: the page's diagnosis of its first k steps, for every k. */
import type { StepRecord } from '../../src/session/protocol.ts';
import { diagnose, type Hint } from '../../src/ui/state/diagnosis.ts';

/** A hint with the steps after which it was shown. `sentence`: as first shown. */
export interface ShownHint extends Pick<Hint, 'id' | 'level' | 'title' | 'sentence'> {
  steps: number[];
}

/** Hints of a run in the order in which they were first shown. `masked`: the policy chose among valid actions. */
export function hintsByStep(records: readonly StepRecord[], masked: boolean): ShownHint[] {
  const shown = new Map<Hint['id'], ShownHint>();
  for (const [k, { step }] of records.entries())
    for (const { id, level, title, sentence } of diagnose(records.slice(0, k + 1), masked)) {
      const hint = shown.get(id) ?? { id, level, title, sentence, steps: [] };
      hint.steps.push(step);
      shown.set(id, hint);
    }
  return [...shown.values()];
}
