/** Numbers of the curves: metrics of the charts, success beside chance, smoothing. */
import { describe, expect, test } from 'vitest';
import { metrics } from '../../src/rl/metrics/metrics.ts';
import { mockRecord } from '../../src/ui/gallery/mock-data.ts';
import { readSuccess } from '../../src/ui/state/score.ts';
import { charts, measuresSignal, smoothed } from '../../src/ui/state/series.ts';
import { recordedWorlds, withWorlds } from '../../src/ui/state/world-chart.ts';

describe('series', () => {
  test('every metric of a chart is in the registry', () => {
    const names = new Set(metrics.map((each) => each.name));
    for (const chart of charts(true)) for (const series of chart.series) expect(names).toContain(series.read);
  });

  test('the chart of the signal is there if a step measured it', () => {
    const record = (metrics: { [metric: string]: number }) => ({ step: 1, stage: 1, metrics });
    expect(measuresSignal([record({ success: 1 })])).toBe(false);
    expect(measuresSignal([record({}), record({ signal: 0.1 })])).toBe(true);
    expect(charts(true).at(-1)!.id).toBe('gradient-signal');
    expect(charts()).toHaveLength(charts(true).length - 1);
  });

  test('a run over several worlds has a chart of success by world, with points of those that are evaluated', () => {
    expect(recordedWorlds([mockRecord(20)])).toEqual([]);
    expect(withWorlds(charts(), [])).toHaveLength(charts().length);
    const record = mockRecord(20);
    const { evaluation } = record;
    const stratum = Object.values(evaluation!.test.strata)[0];
    const test = { ...evaluation!.test, strata: { maze: stratum } };
    const metrics = { ...record.metrics, 'success.maze': 0.5, 'success.sql': 1 };
    const worlds = recordedWorlds([{ ...record, metrics, evaluation: { ...evaluation!, test } }]);
    expect(worlds).toEqual([
      { name: 'maze', evaluated: true },
      { name: 'sql', evaluated: false },
    ]);
    const [, chart] = withWorlds(charts(), worlds);
    expect(chart.series.map(({ read }) => read)).toEqual(['success.maze', 'success.sql']);
    expect(chart.points.map(({ read }) => read({ ...evaluation!, test }).value)).toEqual([stratum.policy.rate]);
  });

  test('success is the evaluation’s if there is one, beside chance', () => {
    expect(readSuccess([])).toBeNull();
    // The evaluation before the first update is not an update.
    const begun = [0, 1, 2].map((step) => ({ ...mockRecord(step), evaluation: undefined }));
    begun[0].metrics = {};
    expect(readSuccess(begun)).toMatchObject({ evaluated: false, updates: 2 });
    expect(readSuccess([mockRecord(19), mockRecord(20)])).toMatchObject({ evaluated: true, step: 20, chance: 0.22 });
    const mean = readSuccess([mockRecord(21), mockRecord(22)])!;
    expect(mean.rate).toBeCloseTo((mockRecord(21).metrics.success + mockRecord(22).metrics.success) / 2, 12);
  });

  test('smoothing starts at the first value and skips gaps', () => {
    const line = smoothed([null, 1, null, 1, 0]);
    expect(line[0]).toBeNull();
    expect(line[1]).toBeCloseTo(1, 12);
    expect(line[3]).toBeCloseTo(1, 12);
    expect(line[4]).toBeLessThan(1);
  });
});
