/** Algorithms on the made-up episodes of a step, computed by the trainer's own modules. */
import type { ComparedEpisode, ComparedObjective } from '../../rl/compare-objectives.ts';
import { recordedStage } from '../../rl/unipo.ts';
import { asRecorded } from '../../rl/unipo-writer.ts';
import type { ComparisonRequest, StepComparison } from '../../session/protocol.ts';
import { recordedComparison } from '../../session/run/step-comparison.ts';
import { mockInspection } from './inspection-mock.ts';
import { mockStep, mockTexts } from './mock-data.ts';

const header = { algorithm: 'grpo', hparams: {} };

/** Numbers of the run's own algorithm after the step. */
function mockOwn(step: number, repeat: number): ComparedObjective {
  const episodes = mockInspection(step, repeat).episodes.map((each): ComparedEpisode => {
    const { group, member, before: old, after: logprob, advantage, weight, clipped } = each;
    const tokens = { turn: new Int16Array(old.length), advantage, logprob, old, reference: null, weight, clipped };
    return { group, member, advantage: advantage[0] ?? 0, weight: 0, tokens };
  });
  const { algorithm: settings } = recordedStage(header);
  const rest = { tokens: 0, ratio: 1, clipped: 0, norm: null, cosines: [], notes: [] };
  return { name: 'grpo', label: 'GRPO', settings, without: '', episodes, ...rest };
}

export function mockComparison(step: number, repeat: number, request: ComparisonRequest): Promise<StepComparison> {
  const own = mockOwn(step, repeat);
  const written = { step, trajectories: mockStep(step, repeat), own, texts: mockTexts };
  return recordedComparison(asRecorded(header, written), request);
}
