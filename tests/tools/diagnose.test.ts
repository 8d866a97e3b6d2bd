// Hints of a stored run: each with exactly the steps after which the page would have shown it.
import { expect, it } from 'vitest';
import type { StepRecord } from '../../src/session/protocol.ts';
import { mockRecord } from '../../src/ui/gallery/mock-data.ts';
import { diagnose } from '../../src/ui/state/diagnosis.ts';
import { hintsByStep } from '../../tools/diagnose/hints.ts';

/** A run whose sampler is another policy from step 10 to 19, and whose goals need more turns than it has. */
const records: StepRecord[] = Array.from({ length: 40 }, (_, k) => {
  const record = mockRecord(k);
  const gap = k >= 10 && k < 20 ? 0.2 : 0;
  const fault = { success: 0.1, groupsWithoutSignal: 0.1, endingHorizon: 0.9, logprobGap: gap };
  return k === 0 ? record : { ...record, metrics: { ...record.metrics, ...fault } };
});

it('are listed in the order in which they appeared, with their steps', () => {
  const hints = hintsByStep(records, true);
  expect(hints.map(({ id, steps }) => [id, steps[0], steps.at(-1), steps.length])).toEqual([
    // Five steps in succession, from step 10 on.
    ['stale', 14, 19, 6],
    ['horizon', 20, 39, 20],
  ]);
  for (const { id, sentence, steps } of hints) {
    const first = diagnose(records.slice(0, steps[0] + 1), true).find((hint) => hint.id === id);
    expect(first?.sentence).toBe(sentence);
  }
});
