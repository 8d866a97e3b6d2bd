/** Diagnosis of a run from its metrics. */
import { describe, expect, test } from 'vitest';
import type { StepRecord } from '../../src/session/protocol.ts';
import { mockRecord } from '../../src/ui/gallery/mock-data.ts';
import { diagnose } from '../../src/ui/state/diagnosis.ts';

describe('diagnosis', () => {
  const records = (change: (step: number) => { [metric: string]: number }): StepRecord[] =>
    Array.from({ length: 30 }, (_, index) => {
      const record = mockRecord(index + 1);
      return {
        ...record,
        metrics: { ...record.metrics, groupsWithoutSignal: 0.1, endingHorizon: 0.2, ...change(index + 1) },
      };
    });
  const ids = (list: StepRecord[]) => diagnose(list).map((hint) => hint.id);

  test('a healthy run has no hint', () => expect(ids(records(() => ({})))).toEqual([]));
  const equal = (success: number) => records(() => ({ groupsWithoutSignal: 0.9, success }));
  test('equal rewards', () => expect(ids(equal(0.2))).toEqual(['no-signal']));
  test('equal rewards of episodes that succeed are no fault', () => {
    expect(diagnose(equal(0.8)).map(({ id, level }) => [id, level])).toEqual([['solved', 'info']]);
  });
  test('equal rewards while success rises are no sign', () =>
    expect(ids(records((step) => ({ groupsWithoutSignal: 0.9, endingHorizon: 0.9, success: step / 100 })))).toEqual(
      [],
    ));
  test('equal rewards in self-play are no sign', () =>
    expect(ids(records(() => ({ groupsWithoutSignal: 0.7, success: 0.2, exploitability: 0.05 })))).toEqual([]));
  test('a solved task needs no entropy', () => {
    const certain = (success: number) => records((step) => ({ entropy: step < 10 ? 1 : 0.01, success }));
    expect(ids(certain(0.95))).toEqual([]);
    expect(ids(certain(0.5))).toEqual(['entropy']);
  });
  test('steps of imitation have no log-probabilities of play, and end with little entropy', () => {
    const imitated = (after: number) =>
      records((step) => {
        const reward = { entropy: 0.02, logprobGap: 0, success: 0.4 };
        const imitation = { entropy: 1 / step, logprobGap: 2 / step, demonstrations: 64, success: Number.NaN };
        return step > after ? reward : imitation;
      });
    for (const after of [8, 15, 27, 30]) expect(ids(imitated(after))).toEqual([]);
    expect(ids(records(() => ({ logprobGap: 0.2 })))).toEqual(['stale']);
  });
  test('entropy', () => expect(ids(records((step) => ({ entropy: step < 10 ? 1 : 0.01 })))).toEqual(['entropy']));
  test('KL', () => expect(ids(records((step) => ({ kl: step < 26 ? 0.05 : 3 })))).toEqual(['kl']));
  test('horizon', () => expect(ids(records(() => ({ endingHorizon: 0.9, success: 0.1 })))).toEqual(['horizon']));
  test('invalid actions', () => expect(ids(records(() => ({ validActions: 0.3 })))).toEqual(['invalid']));
  test('the beginning of a run is no problem', () => {
    const early = records(() => ({ groupsWithoutSignal: 0.7, endingHorizon: 0.9, validActions: 0.3 })).slice(0, 4);
    expect(ids(early)).toEqual([]);
  });
  test('steps without any signal are one', () => {
    expect(ids(records(() => ({ groupsWithoutSignal: 1 })).slice(0, 6))).toEqual(['no-signal']);
  });
  test('a reward that rises while success falls', () => {
    const success = (step: number) => (step < 12 ? 0.6 : 0.1);
    const values = (step: number) => ({ success: success(step), reward: step < 12 ? 1 : 2 });
    const parts = (step: number) => ({ 'reward.talk': step < 12 ? 0.4 : 1.9, 'reward.success': success(step) });
    const hacked = records((step) => ({ episodes: 64, ...values(step), ...parts(step) })).map((record) => ({
      ...record,
      stage: 4,
    }));
    const [first] = diagnose(hacked);
    expect(first.id).toBe('reward-hacked');
    expect(first.sentence).toContain('“talk”');
    expect(first.goOnFrom).toBeLessThan(10);
  });
  test('the hint names the newest step', () =>
    expect(diagnose(records(() => ({ endingHorizon: 0.9, success: 0.1 })))[0].step).toBe(30));
});
