/**
 * Report of a golden run: one line per quantity with its largest error and its gate, one line per skip with its reason,
 * and a closing line. A required kind cannot be skipped: its skip counts as a failure.
 */

/** Kinds that must be checked, because this program implements them fully. */
const required: ReadonlySet<string> = new Set([
  'model',
  'generation',
  'checkpoint',
  'lora',
  'quant',
  'logits-head',
  'aggregation',
  'kl',
  'compute_grpo_outcome_advantage',
  'compute_policy_loss_vanilla',
  'trl grpo',
  'trl bnpo',
  'trl dr_grpo',
]);

export class GoldenReport {
  agreed = 0;
  total = 0;
  skipped = 0;
  private readonly reasons = new Map<string, Set<string>>();

  constructor(
    private readonly print: (line: string) => void = console.log,
    private readonly mustCheck: ReadonlySet<string> = required,
  ) {}

  /** Reports a compared quantity. A NaN error fails. */
  check = (kind: string, name: string, quantity: string, ok: boolean, error: number, gate?: number): void => {
    this.total++;
    if (ok) this.agreed++;
    const bound = gate === undefined ? '' : ` (gate ${gate.toExponential(1)})`;
    this.print(`${ok ? 'ok  ' : 'FAIL'} ${kind} ${name} ${quantity}: max error ${error.toExponential(2)}${bound}`);
  };

  /** Reports something that could not be computed at all. */
  fail = (kind: string, name: string, why: string): void => {
    this.total++;
    this.print(`FAIL ${kind} ${name}: ${why}`);
  };

  skip = (kind: string, name: string, why: string): void => {
    if (this.mustCheck.has(kind)) {
      this.fail(kind, name, `must not be skipped (${why})`);
      return;
    }
    this.skipped++;
    this.print(`skip ${kind} ${name}: ${why}`);
    this.reasons.set(kind, (this.reasons.get(kind) ?? new Set()).add(why));
  };

  get ok(): boolean {
    return this.agreed === this.total;
  }

  close(): void {
    for (const [kind, why] of this.reasons) this.print(`skipped kind ${kind}: ${[...why].join('; ')}`);
    this.print(`agree ${this.agreed} of ${this.total}, skipped ${this.skipped}`);
  }
}

/** Largest absolute difference; infinite if the lengths differ or a value is NaN. */
export function maxError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(actual[i] - expected[i]);
    worst = difference <= worst ? worst : Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
  }
  return worst;
}

export function largestMagnitude(values: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i]));
  return largest;
}
