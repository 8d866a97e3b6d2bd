import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endingMetric, isTiming, metricNamed, metrics, metricsDocument } from '../../src/rl/metrics/metrics.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';

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
