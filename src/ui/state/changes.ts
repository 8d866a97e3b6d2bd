/** Effect of the setup's draft on the run in focus: none, a fork at its last step, or a new run. Pure functions. */
import { addsLayers } from '../../experiment/added-layers.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Knob } from '../../experiment/knob.ts';
import { findKnob } from '../../experiment/knobs.ts';
import { type Difference, differences } from '../../experiment/paths.ts';
import type { RunSummary } from '../../session/protocol.ts';

export interface Pending {
  kind: 'none' | 'free' | 'fork' | 'restart';
  list: Difference[];
}

const order: readonly Knob['change'][] = ['free', 'fork', 'restart'];

/**
 * Cost of one changed setting. A path without a knob of its own starts a new run if it belongs to worlds, policy or
 * sweep, and a fork otherwise.
 */
function changeOf(difference: Difference): Knob['change'] {
  if (addsLayers(difference)) return 'fork';
  const { path } = difference;
  return findKnob(path)?.change ?? (/^(worlds|policy|sweep)\b/.test(path) ? 'restart' : 'fork');
}

export function pendingChanges(run: RunSummary | null, draft: Experiment | null): Pending {
  if (!run || !draft) return { kind: 'none', list: [] };
  const list = differences(run.experiment, draft);
  if (!list.length) return { kind: 'none', list };
  const worst = Math.max(...list.map((each) => order.indexOf(changeOf(each))));
  const kind = order[worst];
  return { kind: kind === 'fork' && run.step === 0 ? 'restart' : kind, list };
}
