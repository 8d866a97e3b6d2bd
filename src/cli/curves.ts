/** Curves of a run for a terminal: a sparkline and a CSV table. */
import type { StepRecord } from '../rl/evaluation/evaluation.ts';

const BARS = ' ▁▂▃▄▅▆▇█';
const WIDTH = 60;

/** A curve as one line of text: means over as many pieces as fit, with 0 at the bottom and 1 at the top. */
export function sparkline(values: readonly number[], width = WIDTH): string {
  const pieces = Math.min(width, values.length);
  const bars = Array.from({ length: pieces }, (_, i) => {
    const part = values.slice(Math.floor((i * values.length) / pieces), Math.floor(((i + 1) * values.length) / pieces));
    const mean = part.reduce((a, b) => a + b, 0) / part.length;
    return BARS[Math.max(0, Math.min(BARS.length - 1, Math.round(mean * (BARS.length - 1))))];
  });
  return bars.join('');
}

/** Every metric of every step as CSV, one column per metric. */
export function csv(records: readonly StepRecord[]): string {
  const names = [...new Set(records.flatMap((record) => Object.keys(record.metrics)))];
  const rows = records.map((record) => {
    const evaluation = record.evaluation;
    const evaluated = [evaluation?.train.policy.rate ?? '', evaluation?.test.policy.rate ?? ''];
    return [record.step, record.stage, ...names.map((name) => record.metrics[name] ?? ''), ...evaluated].join(',');
  });
  return `${[['step', 'stage', ...names, 'evaluationTrain', 'evaluationTest'].join(','), ...rows].join('\n')}\n`;
}
