/**
 * Gap between sampling and training: the absolute difference between a token's log-probability when it was sampled and
 * when it was first recomputed, about 0 before the first update. A gap in all turns comes from other weights, one that
 * grows with the turns from what a row remembers (its K/V cache, its context).
 */
const gapPrefix = 'logprobGap.';
/** Sentence of these metrics. */
export const gapSentence =
  'Mean difference between the log-probability when sampled and when first recomputed, in these turns of the episodes.';

/** Name of the metric of the gap in some turns, which begin at 1: `1`, `2`, `3-4`, `5-8` and so on. */
export const gapMetric = (turns: string): string => `${gapPrefix}${turns}`;

/** Turns of a metric of the gap; null: another metric. */
export const gapTurns = (name: string): string | null =>
  name.startsWith(gapPrefix) ? name.slice(gapPrefix.length) : null;

/** Turns of a bin, which begin at 1 and end at a power of two: `1`, `2`, `3-4`, `5-8`. `turn` begins at 0. */
function turnsOf(turn: number): string {
  const end = 1 << (32 - Math.clz32(turn));
  return end <= 2 ? String(end) : `${end / 2 + 1}-${end}`;
}

interface Sum {
  gap: number;
  count: number;
}

export class Gap {
  private readonly total: Sum = { gap: 0, count: 0 };
  private readonly byTurns = new Map<string, Sum>();
  private largest = 0;

  /** Rows of a batch: log-probabilities recomputed and sampled, and the turn of each (-1: none). */
  add(logprob: Float32Array, sampled: Float32Array, turn: Int32Array): void {
    for (let row = 0; row < logprob.length; row++) {
      const gap = Math.abs(logprob[row] - sampled[row]);
      this.largest = Math.max(this.largest, gap);
      for (const sum of [this.total, this.sumOf(turn[row])]) {
        sum.gap += gap;
        sum.count += 1;
      }
    }
  }

  private sumOf(turn: number): Sum {
    const turns = turnsOf(Math.max(turn, 0));
    const known = this.byTurns.get(turns);
    if (known) return known;
    const sum = { gap: 0, count: 0 };
    this.byTurns.set(turns, sum);
    return sum;
  }

  /** Mean and largest gap, and the mean of each bin of turns if there are several. */
  metrics(): { [metric: string]: number } {
    const mean = ({ gap, count }: Sum) => gap / Math.max(count, 1);
    const bins = this.byTurns.size > 1 ? [...this.byTurns] : [];
    return {
      logprobGap: mean(this.total),
      logprobGapMax: this.largest,
      ...Object.fromEntries(bins.map(([turns, sum]) => [gapMetric(turns), mean(sum)])),
    };
  }
}
