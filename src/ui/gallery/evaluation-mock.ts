/** Made-up evaluations of TextCraft's test items. Never part of the shipped page. */
import type { ItemResult } from '../../rl/evaluation/suite-results.ts';
import { suiteReportOf } from '../../session/evaluation/suite-evaluation.ts';
import type { KeptEvaluation, RunEvaluations, SuiteRequest } from '../../session/evaluation-protocol.ts';
import type { SessionEvent } from '../../session/protocol.ts';
import { mockExperiment, mockRandom } from './mock-data.ts';

const request: SuiteRequest = {
  suite: 'textcraft-test',
  samples: 4,
  greedy: false,
  temperature: 1,
  seed: 1,
  turns: [8, 15],
};

function items(seed: number): ItemResult[] {
  const random = mockRandom(seed);
  const one = (p: number) => {
    const success = random() < p;
    return { success, score: Number(success), turns: 2 + Math.floor(random() * 20), overflowed: random() < 0.01 };
  };
  return [31, 41, 25, 3].flatMap((count, depth) =>
    Array.from({ length: count }, (_, i) => ({
      key: `textcraft ${depth} ${i}`,
      column: `Depth ${depth + 1}`,
      tries: Array.from({ length: 4 }, () => one(0.9 / 2 ** depth)),
      chance: Array.from({ length: 16 }, () => one(0.3 / 4 ** depth)),
      oracle: { success: true, score: 1, turns: 4 },
    })),
  );
}

const keptOf = (name: string, step: number, asked: SuiteRequest, seed: number): KeptEvaluation => ({
  step,
  request: asked,
  report: suiteReportOf(
    { policy: `${name}, step ${step}`, experiment: mockExperiment('a'), items: items(seed) },
    asked,
  ),
});
const kept = () => keptOf('textcraft-first', 42, request, 5);

/** Evaluations of another run on the same suite, newest first; the page compares with the newest. */
const otherKept = (): KeptEvaluation[] => [
  keptOf('half the learning rate', 20, { ...request, greedy: true, temperature: null }, 6),
  keptOf('half the learning rate', 10, request, 7),
];

export function mockEvaluations(state: string, run: string): RunEvaluations {
  if (state !== 'paused') return { kept: [], cut: null };
  if (run === 'run-1') return { kept: [kept()], cut: { step: 42, request: { ...request, seed: 2 }, items: 50 } };
  return { kept: run === 'run-2' ? otherKept() : [], cut: null };
}

export async function mockEvaluate(emit: (event: SessionEvent) => void, runId: string): Promise<KeptEvaluation> {
  for (let done = 0; done <= 400; done += 20) {
    emit({ type: 'evaluation', runId, progress: { what: 'episodes', done, total: 400, unit: 'episodes' } });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return kept();
}
