// A sweep's report: means over seeds, curves averaged over pieces, the same text for the same records.
import { describe, expect, it } from 'vitest';
import { rateOf, type StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { meanEstimate } from '../../src/rl/evaluation/statistics.ts';
import { estimateSvg } from '../../src/rl/evaluation/svg-chart.ts';
import { areaUnder, commonStep, pairedMarkdown, pairedTable } from '../../src/rl/evaluation/sweep-pairs.ts';
import {
  meanCurve,
  pieces,
  type SweptRecords,
  sweepCsv,
  sweepMarkdown,
  sweepPlot,
  sweepReport,
  sweepTable,
  sweepText,
} from '../../src/rl/evaluation/sweep-report.ts';

const split = (rate: number) => ({
  policy: rateOf(Math.round(100 * rate), 100),
  chance: rateOf(10, 100),
  oracle: null,
  score: rate / 2,
  strata: {},
});
const records = (rates: number[]): StepRecord[] =>
  rates.map((rate, step) => ({
    step,
    stage: 1,
    metrics: (step ? { success: rate } : {}) as StepRecord['metrics'],
    ...(step % 2 === 0 ? { evaluation: { train: split(rate), test: split(rate) } } : {}),
  }));
const runs: SweptRecords[] = [
  { variant: 0, seed: 1, records: records([0.1, 0.2, 0.6, 0.4, 0.5]) },
  { variant: 0, seed: 2, records: records([0.1, 0.4, 0.2, 0.2, 0.3]) },
  { variant: 1, seed: 1, records: records([0.1, 0.1]) },
];
const report = sweepReport('A sweep', ['a', 'b'], runs);

describe("a sweep's report", () => {
  it('has the end and the best of each seed, with Student intervals over seeds', () => {
    const [a, b] = report.rows;
    expect(a.each).toEqual([0.5, 0.3]);
    const { mean, low, high } = meanEstimate([0.5, 0.3]);
    expect(a.heldOut).toEqual({ mean, low: Math.max(0, low), high: Math.min(1, high), items: 2 });
    expect(a.best.mean).toBeCloseTo((0.6 + 0.3) / 2);
    expect(a.score.mean).toBeCloseTo(0.2);
    expect(a.chance).toBeCloseTo(0.1);
    expect(b.each).toEqual([0.1]);
    expect(b.heldOut).toMatchObject({ low: 0.1, high: 0.1 });
  });

  it('averages over pieces if every seed has one', () => {
    const points = (values: number[], width: number) =>
      pieces(records(values), 'success', width).map(({ x, y }) => [x, Number(y.toFixed(9))]);
    expect(points([0, 0.2, 0.4, 0.6], 2)).toEqual([
      [2, 0.3],
      [4, 0.6],
    ]);
    const curve = meanCurve([
      [
        { x: 1, y: 0.2 },
        { x: 2, y: 0.4 },
      ],
      [{ x: 1, y: 0.4 }],
    ]);
    expect(curve.map(({ x, estimate }) => [x, Number(estimate.mean.toFixed(9))])).toEqual([[1, 0.3]]);
    expect(report.curves[0].points.map(({ x }) => x)).toEqual([1, 2, 3, 4]);
  });

  it('is the same text for the same records, with one line per step in the CSV', () => {
    expect(sweepText(report)).toBe(sweepText(sweepReport('A sweep', ['a', 'b'], runs)));
    expect(sweepText(report)).toContain('50.00, 30.00');
    const [a, b] = sweepTable(report).rows;
    expect(a[2]).toMatch(/^40\.00 \[/);
    // One seed has no interval over seeds.
    expect([b[2], b[7]]).toEqual(['10.00', '0.050']);
    const lines = sweepCsv(['a', 'b'], runs).trim().split('\n');
    expect(lines).toHaveLength(1 + 5 + 5 + 2);
    expect(lines[3]).toBe('a,1,2,1,0.6,0.6,0.6');
  });

  it('plots one line per variant, and a thin one per seed', () => {
    const svg = sweepPlot(report);
    expect(svg.match(/stroke-opacity="0.5"/g)).toHaveLength(3);
    expect(svg.match(/stroke-width="2" stroke-opacity="1"/g)).toHaveLength(2);
    expect(estimateSvg({ title: 'a < b', x: 'x', y: 'y', lines: [] })).toContain('a &lt; b');
  });

  it('labels at most ten powers of two on a logarithmic axis', () => {
    const estimate = { mean: 0.5, low: 0.5, high: 0.5, items: 1 };
    const labels = (tries: number[]) =>
      [
        ...estimateSvg({
          title: '',
          x: '',
          y: '',
          lines: [{ label: '', points: tries.map((x) => ({ x, estimate })) }],
          logarithmic: true,
        }).matchAll(/<text x="([\d.]+)" y="\d+\.0" text-anchor="middle">(\d+)</g),
      ].map(([, x, value]) => ({ x: Number(x), value: Number(value) }));
    const powers = labels([1, 2, 4, 8, 16]);
    expect(powers.map(({ value }) => value)).toEqual([1, 2, 4, 8, 16]);
    // Equal distances, from the left edge of the box to its right edge.
    expect(powers.map(({ x }) => x)).toEqual([46, 163, 280, 397, 514]);
    expect(labels([1, 2, 5000]).map(({ value }) => value)).toEqual([1, 4, 16, 64, 256, 1024, 4096]);
  });

  it('draws intervals as bands, in percent', () => {
    const point = (x: number, low: number, high: number) => ({
      x,
      estimate: { mean: (low + high) / 2, low, high, items: 2 },
    });
    const svg = estimateSvg({
      title: '',
      x: '',
      y: '',
      lines: [{ label: '', points: [point(0, 0, 1), point(10, 0.5, 0.5)] }],
    });
    // The box: 46 to 514 from left to right, and 28 to 310 from 100% down to 0%.
    expect(svg).toContain('<path d="M46.0 28.0L514.0 169.0L514.0 169.0L46.0 310.0Z"');
    expect(svg).toContain('<path d="M46.0 169.0L514.0 169.0" fill="none"');
    expect(svg.match(/<circle/g)).toHaveLength(2);
  });
});

describe('variants beside the first, paired by seed', () => {
  // Of seeds 1 and 2 the second variant is 0.2 and 0.4 above; seed 3 was not trained in the first.
  const swept: SweptRecords[] = [
    { variant: 0, seed: 1, records: records([0.1, 0, 0.3]) },
    { variant: 0, seed: 2, records: records([0.1, 0, 0.2]) },
    { variant: 1, seed: 2, records: records([0.1, 0, 0.6]) },
    { variant: 1, seed: 1, records: records([0.1, 0, 0.5]) },
    { variant: 1, seed: 3, records: records([0.1, 0, 0.9]) },
  ];

  it('subtracts within a seed, and leaves out a seed that one of them lacks', () => {
    const [row] = pairedTable(['a', 'b'], swept).rows;
    const { low, high } = meanEstimate([0.2, 0.4]);
    expect(row[0]).toBe('b');
    expect(row[1]).toBe(`30.00 [${(100 * low).toFixed(2)}, ${(100 * high).toFixed(2)}]`);
  });

  it('has the mean height of the curve, by trapezoids of any width', () => {
    const evaluation = (step: number, rate: number) => ({
      step,
      evaluation: { train: split(rate), test: split(rate) },
    });
    expect(areaUnder([evaluation(0, 0), evaluation(10, 1), evaluation(40, 1)])).toBeCloseTo((5 + 30) / 40);
    expect(areaUnder([evaluation(0, 1)])).toBeNull();
  });

  it('compares an unfinished sweep at the last evaluated step that all runs have reached', () => {
    const further: SweptRecords[] = [
      { variant: 0, seed: 1, records: records([0.1, 0, 0.3]) },
      { variant: 1, seed: 1, records: records([0.1, 0, 0.5, 0, 0.9]) },
    ];
    expect(commonStep(further)).toBe(2);
    expect(pairedTable(['a', 'b'], further).rows[0][1]).toBe('20.00');
    expect(pairedMarkdown(['a', 'b'], further)).toContain('Up to step 2, which all runs have reached.');
    expect(pairedMarkdown(['a', 'b'], swept)).not.toContain('Up to step');
  });

  it('begins no element, image or line with the name of an experiment or a variant', () => {
    const name = '<img src=x>\n![a](http://evil.example/seen)';
    const markdown = sweepMarkdown({ ...report, name }) + pairedMarkdown([name, 'b'], swept);
    expect(markdown).not.toMatch(/<img|\]\(|^!/m);
  });

  it('says nothing of a single variant', () => {
    expect(pairedMarkdown(['a'], swept)).toBe('');
  });
});
