/** Chart of success by world, for a run that plays several. */
import { msg, str } from '@lit/localize';
import { worldMetric, worldOfMetric } from '../../rl/metrics/by-world.ts';
import type { StepRecord } from '../../session/protocol.ts';
import { worldTitle } from './labels.ts';
import type { ChartSpec, Dash } from './series.ts';

const colors = 5;
const dashes: readonly Dash[] = ['solid', 'dashed', 'dotted'];

interface RecordedWorld {
  name: string;
  /** True if every evaluation reports it. */
  evaluated: boolean;
}

/** Worlds whose success a run has recorded, in the order of their names; none if it plays one. */
export function recordedWorlds(records: readonly StepRecord[]): RecordedWorld[] {
  const names = records.flatMap(({ metrics }) => Object.keys(metrics).flatMap((name) => worldOfMetric(name) ?? []));
  const evaluations = records.flatMap(({ evaluation }) => evaluation ?? []);
  return [...new Set(names)].sort().map((name) => ({
    name,
    evaluated: evaluations.length > 0 && evaluations.every(({ test }) => name in test.strata),
  }));
}

/** The charts with one of success by world after the first, if there are several worlds. */
export function withWorlds(charts: readonly ChartSpec[], worlds: readonly RecordedWorld[]): readonly ChartSpec[] {
  if (worlds.length === 0) return charts;
  const colorOf = (place: number) => `--series-${1 + (place % colors)}`;
  const chart: ChartSpec = {
    id: 'worlds',
    title: msg('Success by world'),
    range: [0, 1],
    series: worlds.map(({ name }, place) => ({
      label: worldTitle(name),
      color: colorOf(place),
      dash: dashes[Math.floor(place / colors) % dashes.length],
      read: worldMetric(name),
      smooth: true,
    })),
    points: worlds.flatMap(({ name, evaluated }, place) => {
      if (!evaluated) return [];
      const label = msg(str`${worldTitle(name)}, held-out`);
      const read: ChartSpec['points'][number]['read'] = ({ test }) => {
        const { rate, low, high } = test.strata[name].policy;
        return { value: rate, low, high };
      };
      return [{ label, color: colorOf(place), shape: 'diamond' as const, read }];
    }),
  };
  return charts.toSpliced(1, 0, chart);
}
