/** Rows of the table of metrics: every metric of `rl/metrics/metrics.ts` with its newest value and its explanation. */
import { openMetric, metrics as registry } from '../../rl/metrics/metrics.ts';
import type { StepRecord } from '../../session/protocol.ts';
import { metricSentence } from '../state/labels.ts';

export interface MetricRow {
  name: string;
  value: number | null;
  unit: string;
  sentence: string;
}

export function metricRows(record: StepRecord | undefined): MetricRow[] {
  const known = new Set(registry.map((each) => each.name));
  const rest = Object.keys(record?.metrics ?? {}).filter((name) => !known.has(name));
  const unknown = rest.map((name) => ({ unit: '', sentence: '', ...openMetric(name), name }));
  return [...registry, ...unknown].map((each) => ({
    name: each.name,
    value: record?.metrics[each.name] ?? null,
    unit: each.unit,
    sentence: each.sentence && metricSentence(openMetric(each.name)?.what ?? each.name, each.sentence),
  }));
}
