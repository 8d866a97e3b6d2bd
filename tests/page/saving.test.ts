/** Charts and runs as files: their numbers are those of the records, and names from a run cannot become markup. */
import { readdirSync, readFileSync } from 'node:fs';
import { parseHTML } from 'linkedom';
import { describe, expect, test, vi } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presets } from '../../src/experiment/presets.ts';
import { lineSvg, ticks } from '../../src/rl/evaluation/svg-chart.ts';
import { runReport } from '../../src/session/report/run-report.ts';
import { chartCsv, chartOf } from '../../src/ui/charts/save-chart.ts';
import { mockRecords, mockStep } from '../../src/ui/gallery/mock-data.ts';
import { supported } from '../../src/ui/gallery/mock-gpu.ts';
import { estimate, recentStepMs, stepWork } from '../../src/ui/state/estimate.ts';
import { initialPanes, panes, readPanes } from '../../src/ui/state/panes.ts';
import { charts, smoothed } from '../../src/ui/state/series.ts';
import { rememberTraining, trainingRuns } from '../../src/ui/state/training.ts';
import { plainView, readView, xValues } from '../../src/ui/state/x-axis.ts';

const records = mockRecords(30);
const [success] = charts();

describe('the axis', () => {
  test('counts steps, or sums up their cost', () => {
    const three = [0, 1, 2].map((step) => ({ step, stage: 1, metrics: { episodes: 96, stepMs: 500, flops: 1e9 } }));
    expect(xValues(three, 'step')).toEqual([0, 1, 2]);
    expect(xValues(three, 'episodes')).toEqual([0, 96, 192]);
    expect(xValues(three, 'seconds')).toEqual([0, 0.5, 1]);
    expect(xValues(three, 'flops')).toEqual([0, 1e9, 2e9]);
  });

  test('is remembered, and nonsense is ignored', () => {
    expect(readView('{"x":"flops","smoothing":0.6}')).toEqual({ x: 'flops', smoothing: 0.6 });
    for (const text of [null, '', '{', '[]', 'null', '{"x":"__proto__","smoothing":1e9}'])
      expect(readView(text)).toEqual(plainView);
  });

  test.each([
    [0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [0, 97, [0, 20, 40, 60, 80]],
    [5, 5, [5]],
  ])('has round ticks from %d to %d', (from, to, marks) => {
    expect(ticks(from, to)).toEqual(marks);
  });
});

test('each tab remembers its own training run', () => {
  const kept = new Map([['tabgym.training', 'of-another-tab']]);
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  rememberTraining('a', true);
  expect(trainingRuns()).toEqual(['of-another-tab', 'a']);
  // A page trains one run.
  rememberTraining('b', true);
  rememberTraining('b', true);
  expect(trainingRuns()).toEqual(['of-another-tab', 'b']);
  rememberTraining('b', false);
  expect(trainingRuns()).toEqual(['of-another-tab']);
  rememberTraining('of-another-tab', false);
  expect(trainingRuns()).toEqual([]);
  vi.unstubAllGlobals();
});

describe('a chart', () => {
  test('as CSV has every record unsmoothed', () => {
    const lines = chartCsv(success, records).trim().split('\n');
    expect(lines[0]).toMatch(/^step,episodes so far,seconds so far,FLOPs so far,training,chance,oracle,evaluated,/);
    expect(lines).toHaveLength(records.length + 1);
    const at = records.findIndex(({ step }) => step === 17);
    const cells = lines[at + 1].split(',');
    expect([cells[0], Number(cells[4])]).toEqual(['17', records[at].metrics.success]);
  });

  test('as SVG draws the raw line under the smoothed one', () => {
    const chart = chartOf(success, records, plainView, (token) => token);
    const [raw, smooth] = chart.lines;
    const values = records.map(({ metrics }) => metrics.success ?? null);
    expect(raw.points.map(([, y]) => y)).toEqual(values);
    expect(smooth.points.map(([, y]) => y)).toEqual(smoothed(values, 0.85));
    expect(chartOf(success, records, { x: 'step', smoothing: 0 }, String).lines).toHaveLength(3);
    const { document } = parseHTML(lineSvg(chart));
    expect(document.querySelectorAll('path[fill=none]').length).toBe(chart.lines.length);
  });

  test('contains no markup from a name', () => {
    const svg = lineSvg({
      title: '<script>1</script>',
      xLabel: '&',
      range: null,
      lines: [
        {
          label: '"><image href=x>',
          color: '"/><script>',
          points: [
            [0, 1],
            [1, null],
            [2, 3],
          ],
        },
      ],
    });
    expect(svg).not.toMatch(/<script|<image/);
    // A gap interrupts the line.
    expect(svg).toMatch(/d="M[\d. ]+M[\d. ]+"/);
  });
});

describe('a report', () => {
  const experiment = parseExperiment(structuredClone(presets[0]));
  const hostile = {
    ...experiment,
    name: '<img src=x onerror=alert(1)>',
    description: '</pre><script>alert(1)</script>',
  };
  const page = runReport({
    name: hostile.name,
    experiment: hostile,
    records,
    trajectories: mockStep(30, 1),
    charts: charts().map((spec) => chartOf(spec, records, plainView, () => '#123456')),
  });

  test('shows a dash for a number of a foreign record that is a text', () => {
    const markup = '<form action="//x"></form>' as unknown as number;
    const rate = { rate: markup, low: markup, high: markup, episodes: markup, successes: markup };
    const split = { ...records.find(({ evaluation }) => evaluation)!.evaluation!.test, policy: rate };
    const last = records.at(-1)!;
    const foreign = {
      ...last,
      step: markup,
      metrics: Object.fromEntries(Object.keys(last.metrics).map((name) => [name, markup])),
      evaluation: { train: split, test: split },
    };
    const steps = { ...hostile, steps: markup };
    const text = runReport({ name: 'x', experiment: steps, records: [foreign], trajectories: [], charts: [] });
    const { document } = parseHTML(text);
    expect(document.querySelectorAll('form, script, img')).toHaveLength(0);
    expect(document.querySelector('td')!.textContent).toBe('–');
  });

  test('has settings, curves, evaluations, episodes and numbers', () => {
    const { document } = parseHTML(page);
    expect([...document.querySelectorAll('h2')].map((each) => each.textContent)).toEqual([
      'Curves',
      'Evaluations',
      'Episodes',
      'Numbers of the last step',
      'Settings',
    ]);
    expect(document.querySelectorAll('svg').length).toBe(charts().length);
    expect(JSON.parse(document.querySelector('pre:last-of-type')!.textContent!)).toEqual(hostile);
  });

  test('runs no script and sends no request, whatever the run contains', () => {
    const { document } = parseHTML(page);
    expect(document.querySelectorAll('script, img, iframe, link, object, [src], [href], [onerror]').length).toBe(0);
    expect(page).toContain("default-src 'none'");
  });
});

describe('panes', () => {
  test('keep their bounds, whatever was stored', () => {
    expect(readPanes('{"setup":99999,"drawer":"wide","progress":-4}')).toMatchObject({
      setup: panes.setup.max,
      drawer: panes.drawer.initial,
      progress: panes.progress.min,
    });
    for (const text of [null, '{', '3', 'null', '[]']) expect(readPanes(text)).toEqual(initialPanes());
  });
});

describe('the estimate', () => {
  const experiment = parseExperiment(structuredClone(presets[0]));
  const processor = { ...supported, adapter: { ...supported.adapter, vendor: 'processor' }, limits: { threads: 2 } };

  test('of the measured run agrees with the measurement', () => {
    // docs/worlds/textcraft.md: 211 to 360 s on two threads.
    const { ms, own } = estimate(experiment, processor)!;
    expect(own).toBe(false);
    expect(ms).toBeGreaterThan(150_000);
    expect(ms).toBeLessThan(500_000);
  });

  test('grows with groups and width, and is absent for an unknown device', () => {
    const wider = { ...experiment, algorithm: { ...experiment.algorithm, groups: experiment.algorithm.groups * 2 } };
    expect(stepWork(wider)).toBe(stepWork(experiment)! * 2);
    expect(estimate(experiment, supported)).toBe(null);
    expect(estimate(experiment, null)).toBe(null);
  });

  test('counts every run of a sweep', () => {
    const variants = [
      { name: 'Slow', changes: { 'optimizer.learningRate': 1e-4 } },
      { name: 'As it is', changes: {} },
    ];
    const swept = { ...experiment, sweep: { seeds: [1, 2, 3], variants } } as typeof experiment;
    expect(estimate(swept, processor)!.ms).toBeCloseTo(6 * estimate(experiment, processor)!.ms);
  });

  test('counts the tokens of every window', () => {
    const { groups, groupSize } = experiment.algorithm;
    const of = (context: 'all' | 'task' | 'last' | 'summary', contextTurns: number) => {
      const sampling = { ...experiment.sampling, context, contextTurns, promptTokens: 100, completionTokens: 60 };
      const horizon = [
        { steps: 10, turns: 20 },
        { steps: 1, turns: 40 },
      ];
      return stepWork({ ...experiment, steps: 20, horizon, sampling })!;
    };
    const perToken = of('all', 4) / (groups * (100 + groupSize * 60));
    const tokens = (episode: number) => perToken * groups * (100 + groupSize * episode);
    // 30 turns on average: 26 of them begin a window of their own, or 6.5 summaries do.
    expect(of('task', 4)).toBeCloseTo(tokens(60 + 26 * 60));
    expect(of('last', 4)).toBeCloseTo(tokens(60 + 26 * 160));
    expect(of('summary', 4)).toBeCloseTo(tokens(60 + 6.5 * 160));
    expect(of('task', 40)).toBe(of('all', 40));
    const relative = { ...experiment, sampling: { ...experiment.sampling, context: 'task' as const } };
    expect(stepWork({ ...relative, horizon: [{ steps: 1, turns: { oraclePlus: 4 } }] })).toBe(null);
  });

  test('reads the newest steps', () => {
    expect(recentStepMs([])).toBe(null);
    expect(
      recentStepMs([
        { step: 1, stage: 1, metrics: { stepMs: 100 } },
        { step: 2, stage: 1, metrics: { stepMs: 300 } },
      ]),
    ).toBe(200);
  });
});

test('no template of the page has a style attribute, which its policy would drop', () => {
  const folder = new URL('../../src/ui/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  // Files that other pages embed are excluded: those pages have their own policy.
  const found = files.filter(
    (name) => name !== 'state/embedded-view.ts' && /[^.\w]style=["$]/.test(readFileSync(new URL(name, folder), 'utf8')),
  );
  expect(found).toEqual([]);
});
