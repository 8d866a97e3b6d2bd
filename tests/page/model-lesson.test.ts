// The lesson on a real language model: its experiment beside the copy that is here, and the conditions of its tasks.
import { describe, expect, it } from 'vitest';
import document from '../../experiments/lessons/model-learns.json';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import type { KeptModelInfo } from '../../src/models/protocol.ts';
import type { RunSummary, StepRecord } from '../../src/session/protocol.ts';
import { modelLearns } from '../../src/ui/lessons/model-learns.ts';
import { lessonContext } from '../../src/ui/state/lesson.ts';
import { type State, Store } from '../../src/ui/state/state.ts';

const file = 'folder/SmolLM2-135M-Instruct.Q4_1.gguf@0a1b2c';
const kept: KeptModelInfo = { folder: 'f', key: file, label: 'x', precision: 'int8', bytes: 1, complete: true };
const run = { id: 'r', experiment: parseExperiment(document) } as RunSummary;
const step = (number: number, success: number, chance = 0.2) =>
  ({ step: number, stage: 0, metrics: { success, chance } }) as unknown as StepRecord;

const seen = (patch: Partial<State>) => lessonContext({ ...new Store().state, ...patch });
const part = (id: string) => modelLearns.parts.find((each) => each.id === id)!;
const done = (id: string, patch: Partial<State>) => part(id).done(seen(patch));

describe('the lesson on a language model', () => {
  it('begins when the model is here in the precision of its experiment', () => {
    expect(done('model', {})).toBe(false);
    expect(done('model', { keptModels: [{ ...kept, precision: 'int4' }] })).toBe(false);
    expect(done('model', { keptModels: [kept] })).toBe(true);
  });

  it('trains beside the copy that is here', () => {
    const { experiment } = part('fail') as { experiment: (context: ReturnType<typeof seen>) => Experiment };
    const modelIn = (patch: Partial<State>) => experiment(seen(patch)).policy;
    expect(modelIn({ keptModels: [kept] })).toMatchObject({ model: file, weights: 'int8' });
    expect(modelIn({})).toMatchObject({ model: 'smollm2-135m' });
    expect(modelLearns.model).toBe('smollm2-135m');
  });

  it('sees a first step, and then two steps far above chance', () => {
    const records = [step(0, 0), step(1, 0.04)];
    expect(done('fail', { run, records: records.slice(0, 1) })).toBe(false);
    expect(done('fail', { run, records })).toBe(true);
    expect(done('fail', { run: { ...run, experiment: { ...run.experiment, name: 'another' } }, records })).toBe(false);
    expect(done('learn', { run, records: [...records, step(2, 0.8)] })).toBe(false);
    expect(done('learn', { run, records: [...records, step(2, 0.5), step(3, 0.5)] })).toBe(true);
    expect(part('learn').far!(seen({ run, records: [...records, step(2, 0.44)] }))).toMatch(/0\.04/);
  });
});
