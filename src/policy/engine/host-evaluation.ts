/**
 * Evaluates an objective's definition over the micro-batches of one update: each by itself, or all rows at once if the
 * objective sums over them. Independent of devices, so that every engine may use it.
 */
import { evaluateObjective, joinRows, ObjectiveError, type PlainRows } from '../objective-rows.ts';
import { scoreFloats } from '../plan/head-buffers.ts';
import type { ObjectiveResult, Scores, UpdateRequest, UpdateResult } from '../policy.ts';

export class HostEvaluation {
  private readonly scored: Scores[] = [];
  /** Number of floats of `storage` in use. */
  private used = 0;
  private whole: ObjectiveResult | null = null;
  private readonly evaluated: ObjectiveResult[] = [];

  constructor(
    private readonly request: Omit<UpdateRequest, 'optimizer'>,
    /**
     * Storage for the scores of all rows until the last micro-batch has run forward. Default: the size that this update
     * needs.
     */
    private readonly storage = new Float32Array(rowsOf(request) * scoreFloats),
  ) {}

  /** True if all rows must be scored before any gradient. A single micro-batch already holds all rows. */
  get needsAll(): boolean {
    return Boolean(this.request.objective.batch) && this.request.batches.length > 1;
  }

  /** Stores the scores of the next micro-batch, in order. */
  addScores(scores: Scores): void {
    const { logprob, entropy, value } = scores;
    const stored = { logprob: this.store(logprob), entropy: this.store(entropy) };
    this.scored.push(value ? { ...stored, value: this.store(value) } : stored);
  }

  private store(values: Float32Array): Float32Array {
    const { storage, used } = this;
    if (used + values.length > storage.length)
      throw new ObjectiveError(
        `Objective ${this.request.objective.name} sums over all ${rowsOf(this.request)} rows of an update, but the plan allows ${Math.floor(storage.length / scoreFloats)}.`,
      );
    this.used += values.length;
    const stored = storage.subarray(used, this.used);
    stored.set(values);
    return stored;
  }

  /** Returns the inputs of a micro-batch's backward, and its outputs for the metrics. */
  async part(
    index: number,
    scores: Scores,
  ): Promise<{ seeds: Float32Array<ArrayBuffer>; valueWeight: Float64Array; output: UpdateResult['outputs'][number] }> {
    const rows = this.rowsOf(index, scores);
    const { result, from } = await (this.needsAll
      ? this.partOfWhole(index)
      : this.evaluate(rows).then((whole) => ({ result: whole, from: 0 })));
    const N = rows.logprob.length;
    const valueWeight = (result.valueWeight ?? new Float64Array(from + N)).subarray(from, from + N);
    return { seeds: seedsOf(result, from, N), valueWeight, output: outputOf(rows, result, from) };
  }

  /** Metrics, averaged over the evaluations. */
  get metrics(): { [name: string]: number } | undefined {
    const lists = this.evaluated.map(({ metrics }) => metrics ?? {});
    const names = [...new Set(lists.flatMap((each) => Object.keys(each)))];
    if (names.length === 0) return undefined;
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    return Object.fromEntries(names.map((name) => [name, mean(lists.flatMap((each) => each[name] ?? []))]));
  }

  private rowsOf(index: number, scores: Scores): PlainRows {
    const { columns, ids } = this.request.batches[index];
    return { ...scores, columns, ids };
  }

  private async partOfWhole(index: number): Promise<{ result: ObjectiveResult; from: number }> {
    this.whole ??= await this.evaluate(joinRows(this.scored.map((scores, i) => this.rowsOf(i, scores))));
    const from = this.scored.slice(0, index).reduce((sum, { logprob }) => sum + logprob.length, 0);
    return { result: this.whole, from };
  }

  private async evaluate(rows: PlainRows): Promise<ObjectiveResult> {
    const { objective, scalars } = this.request;
    const result = await evaluateObjective<ObjectiveResult | Promise<ObjectiveResult>>(objective, rows, scalars);
    this.evaluated.push(result);
    return result;
  }
}

const rowsOf = ({ batches }: Pick<UpdateRequest, 'batches'>) =>
  batches.reduce((sum, { batch }) => sum + batch.scored.length, 0);

/** (N, 2) inputs of the head's backward: dloss/dlogprob and dloss/dentropy of rows [from, from + N). */
function seedsOf({ weight, entropyWeight }: ObjectiveResult, from: number, N: number): Float32Array<ArrayBuffer> {
  const seeds = new Float32Array(2 * N);
  for (let i = 0; i < N; i++) {
    seeds[2 * i] = weight[from + i];
    seeds[2 * i + 1] = entropyWeight[from + i];
  }
  return seeds;
}

/** Part of a result as a micro-batch's output. */
function outputOf(rows: PlainRows, { loss, weight, aux }: ObjectiveResult, from: number) {
  const N = rows.logprob.length;
  const part = (values: Float64Array) => Float32Array.from(values.subarray(from, from + N));
  return {
    logprob: Float32Array.from(rows.logprob),
    entropy: Float32Array.from(rows.entropy),
    loss: part(loss),
    weight: part(weight),
    aux: Object.fromEntries(Object.entries(aux).map(([name, values]) => [name, part(values)])),
  };
}
