/** Expected band of the run in focus: loaded when its training is a preset's, as corners to draw, and as a hint. */
import { msg, str } from '@lit/localize';
import { type Band, leftBand } from '../../rl/evaluation/band.ts';
import type { StepRecord } from '../../session/protocol.ts';
import { runCount } from '../kit/counts.ts';
import { fixed } from '../kit/format.ts';
import type { Hint } from './diagnosis.ts';
import type { Store } from './state.ts';

/** Keeps `band` of the state in step with the run in focus. */
export function followBand(store: Store): void {
  let shown: string | null = null;
  const follow = async () => {
    const { run } = store.state;
    if ((run?.id ?? null) === shown) return;
    shown = run?.id ?? null;
    store.set({ band: null });
    if (!run) return;
    const { bandFor } = await import('../../experiment/bands.ts');
    const band = await bandFor(run.experiment);
    if (store.state.run?.id === run.id) store.set({ band });
  };
  store.listen((changed) => {
    if (changed.has('run')) void follow();
  });
  void follow();
}

/** Interval of a band at a place of the x axis. */
export interface BandPoint {
  x: number;
  low: number;
  high: number;
}

/**
 * Intervals of a band at the middles of its windows. `xs`: positions of the records. On an axis of steps the band goes
 * on after the newest step, on another it ends there.
 */
export function bandPoints(
  { window, low, high }: Band,
  records: readonly StepRecord[],
  xs: readonly number[],
  byStep: boolean,
): BandPoint[] {
  const at = new Map(records.map(({ step }, i) => [step, xs[i]]));
  return low.flatMap((least, k) => {
    const most = high[k];
    const ends = [k * window + 1, (k + 1) * window].map((step) => (byStep ? step : at.get(step)));
    const [from, to] = ends;
    if (least === null || most === null || from === undefined || to === undefined) return [];
    return [{ x: (from + to) / 2, low: least, high: most }];
  });
}

/** Hint if the run has left the band. */
export function bandHint(band: Band | null, records: readonly StepRecord[]): Hint[] {
  const left = band && leftBand(band, records);
  if (!left) return [];
  const { side, from, to, success, low, high } = left;
  const found = msg(
    str`Success in steps ${from} to ${to} is ${fixed(success)}. By ${runCount(band.seeds.length)} of this preset with other seeds it is expected between ${fixed(low)} and ${fixed(high)}.`,
  );
  const advice = msg('Compare it with another seed. If that one leaves the band too, something is different here.');
  return [
    {
      id: 'band',
      level: side === 'below' ? 'warning' : 'info',
      title: side === 'below' ? msg('Success is below its expected band') : msg('Success is above its expected band'),
      sentence: `${found} ${advice}`,
      step: to,
    },
  ];
}
