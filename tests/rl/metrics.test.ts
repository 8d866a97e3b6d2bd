import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { metricsDocument } from '../../src/rl/metrics/document.ts';
import { endingMetric, isTiming, metricNamed, metrics } from '../../src/rl/metrics/metrics.ts';
import { rolloutMetrics } from '../../src/rl/metrics/step-metrics.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { trajectory } from '../session/fakes.ts';

describe('metrics', () => {
  it('have one name, one unit and one sentence each', () => {
    expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length);
    for (const { name, sentence } of metrics) {
      expect(name).toMatch(/^[a-z][A-Za-z]+$/);
      expect(sentence, name).toMatch(/^[A-Z].*\.$/);
    }
    for (const name of Object.values(endingMetric)) expect(metricNamed(name)?.group).toBe('endings');
  });

  it('have recognisable names for times, so that a comparison of two runs can leave them out', () => {
    const all = { metrics: Object.fromEntries(metrics.map(({ name }) => [name, 1])) };
    const kept = Object.keys(withoutTimes(all).metrics);
    expect(kept).toEqual(metrics.map(({ name }) => name).filter((name) => !isTiming(name)));
  });

  it('agree with docs/metrics.md (`npm run docs` writes it)', () => {
    expect(readFileSync('docs/metrics.md', 'utf8')).toBe(metricsDocument());
  });
});

describe('the metrics of a step', () => {
  const [turn] = trajectory().turns;
  const summary = { returns: Float64Array.of(1, 0, Number.NaN), groups: 2, withoutSignal: 1 };

  it('are means over the episodes that were played, and shares of all', () => {
    const trajectories = [
      trajectory({ success: true, ending: 'success', turns: [turn, { ...turn, valid: false }, turn] }),
      trajectory({ score: 0.5, turns: [turn] }),
      trajectory({ ending: 'world-failure', failure: 'gone', turns: [] }),
    ];
    expect(rolloutMetrics(trajectories, summary)).toMatchObject({
      episodes: 3,
      success: 0.5,
      score: (0.1 + 0.2 + 0.5) / 2,
      return: 0.5,
      turns: 2,
      horizon: 3,
      validActions: 0.75,
      groupsWithoutSignal: 0.5,
      endingSuccess: 1 / 3,
      endingHorizon: 1 / 3,
      endingWorldFailure: 1 / 3,
    });
  });
});
