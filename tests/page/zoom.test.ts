/** The zoomed part of the charts' axis, and the values of a chart's legend. */
import { describe, expect, test } from 'vitest';
import { lineReadings, placeName, pointReadings } from '../../src/ui/charts/readout.ts';
import { mockRecords } from '../../src/ui/gallery/mock-data.ts';
import { compact, fixed } from '../../src/ui/kit/format.ts';
import { charts, smoothed } from '../../src/ui/state/series.ts';
import { zoomBy, zoomTo, zoomWith } from '../../src/ui/state/zoom.ts';

const full = [0, 200] as const;

describe('the zoom', () => {
  test('shows a dragged part from either end, kept inside the axis and not too narrow', () => {
    expect(zoomTo([120, 40], full, true)).toEqual([40, 120]);
    expect(zoomTo([-30, 50], full, true)).toEqual([0, 80]);
    expect(zoomTo([100, 100], full, true)).toEqual([98, 102]);
    expect(zoomTo([1e6, 1e6], [0, 1e8], false)).toEqual([5e5, 1.5e6]);
    expect(zoomTo([-5, 300], full, true)).toBeNull();
  });

  test('halves and doubles around a place, and ends at the whole axis', () => {
    const half = zoomBy(0.5, 150, null, full, true);
    expect(half).toEqual([100, 200]);
    expect(zoomBy(2, 150, half, full, true)).toBeNull();
    const narrow = Array.from({ length: 12 }).reduce<ReturnType<typeof zoomBy>>(
      (now) => zoomBy(0.5, 10, now, full, true),
      null,
    );
    expect(narrow).toEqual([8, 12]);
  });

  test('moves to a place outside of it, with the same width', () => {
    expect(zoomWith(50, [40, 60], full)).toEqual([40, 60]);
    expect(zoomWith(70, [40, 60], full)).toEqual([60, 80]);
    expect(zoomWith(200, [40, 60], full)).toEqual([180, 200]);
    expect(zoomWith(5, null, full)).toBeNull();
  });
});

describe('a legend', () => {
  const [success] = charts();
  const records = mockRecords(42);

  test('has the value of each line at a record, and its drawn mean', () => {
    const means = success.series.map((each) =>
      each.smooth ? smoothed(records.map(({ metrics }) => metrics[String(each.read)] ?? null)) : null,
    );
    const [training, chance] = lineReadings(success, records, means, 30);
    expect(training.value).toBe(compact(records[30].metrics.success));
    expect(training.more).toBe(`mean ${compact(means[0]![30])}`);
    expect([chance.value, chance.more]).toEqual(['0.22', '']);
  });

  test('has the newest evaluation up to a record, and names its step if it is an earlier one', () => {
    const { rate, low, high } = records[20].evaluation!.test.policy;
    const interval = `[${fixed(low)}, ${fixed(high)}]`;
    expect(pointReadings(success, records, 20)[1]).toMatchObject({ value: fixed(rate), more: interval });
    expect(pointReadings(success, records, 39)[1]).toMatchObject({ value: fixed(rate), more: `${interval} · step 20` });
    expect(pointReadings(success, records.slice(1), 5)[1]).toMatchObject({ value: '–', more: '' });
  });

  test('names a place by its step, and by the axis if that counts something else', () => {
    expect(placeName(7, 'step', 7)).toBe('step 7');
    expect(placeName(7, 'episodes', 448)).toBe('step 7 · Episodes 448');
  });
});
