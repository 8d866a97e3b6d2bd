/**
 * Converts a recorded (rows, width) matrix with a mask of action tokens to the rows over which credit and objectives
 * are computed: the masked entries only, sequence by sequence. Outside the mask, inputs are arbitrary and outputs are
 * 0.
 */
import * as v from 'valibot';
import { evaluateObjective } from '../../src/policy/objective-rows.ts';
import type { ObjectiveResult } from '../../src/policy/policy.ts';
import type { AlgorithmSettings, ObjectiveCall } from '../../src/rl/algorithms/algorithm.ts';
import { algorithmOf } from '../../src/rl/algorithms/registry.ts';
import { type AggregationOptions, sequenceCoefficients } from '../../src/rl/common/aggregation.ts';
import { spread, type TokenRows } from '../../src/rl/common/token-rows.ts';

type Numbers = ArrayLike<number>;

/** Columns by name. A missing column that no term reads is filled with the log-probability. */
export type NamedRows = { [name: string]: Numbers };

export class GoldenRows {
  /** Index of each row in the matrix. */
  readonly at: Int32Array;
  readonly rows: TokenRows;
  readonly count: number;

  constructor(
    private readonly mask: Numbers,
    readonly width: number,
    groupOf: Numbers | null = null,
  ) {
    const at: number[] = [];
    this.count = mask.length / width;
    const offsets = new Int32Array(this.count + 1);
    for (let b = 0; b < this.count; b++) {
      for (let t = 0; t < width; t++) if (mask[b * width + t]) at.push(b * width + t);
      offsets[b + 1] = at.length;
    }
    this.at = Int32Array.from(at);
    const group = Int32Array.from({ length: this.count }, (_, b) => groupOf?.[b] ?? b);
    this.rows = { offsets, group, turn: new Int32Array(at.length) };
  }

  gather(matrix: Numbers): Float64Array {
    return Float64Array.from(this.at, (i) => matrix[i]);
  }

  scatter(values: Numbers): Float64Array {
    const out = new Float64Array(this.mask.length);
    this.at.forEach((i, row) => {
      out[i] = values[row];
    });
    return out;
  }

  get counts(): Int32Array {
    return Int32Array.from({ length: this.count }, (_, b) => this.rows.offsets[b + 1] - this.rows.offsets[b]);
  }

  /** (N) coefficient of each row. */
  coefficients(options: AggregationOptions, counts: Numbers = this.counts): Float64Array {
    return spread(sequenceCoefficients(counts, { longest: this.width, ...options }), this.rows);
  }

  get sequence(): Int32Array {
    return Int32Array.from(this.at, (i) => Math.floor(i / this.width));
  }

  evaluate(
    { spec, scalars }: ObjectiveCall,
    given: NamedRows & { logprob: Numbers },
    pair?: Int32Array,
  ): ObjectiveResult {
    const N = this.at.length;
    const ids = {
      sequence: this.sequence,
      turn: this.rows.turn,
      group: Int32Array.from(this.sequence, (b) => this.rows.group[b]),
      pair: pair ?? new Int32Array(N).fill(-1),
    };
    const columns = spec.columns.map((name) => given[name] ?? given.logprob);
    const { logprob, entropy = new Float64Array(N), value } = given;
    return evaluateObjective(spec, { logprob, entropy, value, columns, ids }, scalars);
  }
}

/**
 * Settings of an algorithm: its defaults with some changed. Not validated, because recorded cases may exceed a knob's
 * bounds.
 */
export function settingsOf(name: string, change: object): AlgorithmSettings {
  return { ...v.parse(algorithmOf({ name }).schema, { name }), ...change };
}
