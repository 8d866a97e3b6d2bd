/** The language model that would reply in the conversation. */
import type { Experiment } from '../../experiment/experiment.ts';
import { factsOf, type Policy } from '../../experiment/policies/registry.ts';
import type { RunSummary } from '../../session/protocol.ts';
import { pendingChanges } from './changes.ts';
import { modelTitle } from './labels.ts';

export interface TalkTarget {
  policy: { runId: string } | { experiment: Experiment };
  name: string;
  /** Last committed step of the run; 0: the model has not learned here. */
  step: number;
}

const talks = (policy: Policy) => factsOf(policy).languageModel && 'model' in policy;

/** The run in focus, unless the setup has another language model; null: neither has one. */
export function talkTarget({ run, draft }: { run: RunSummary | null; draft: Experiment | null }): TalkTarget | null {
  const ofDraft =
    draft && talks(draft.policy) ? { policy: { experiment: draft }, name: modelTitle(draft.policy), step: 0 } : null;
  if (!run || !talks(run.experiment.policy)) return ofDraft;
  if (ofDraft && pendingChanges(run, draft).kind === 'restart') return ofDraft;
  return { policy: { runId: run.id }, name: modelTitle(run.experiment.policy), step: run.step };
}
