/**
 * Compares one recorded case of a loss: provides tensors by name, compares at one tolerance, and reports skipped parts
 * with their reason, and settings of the case that no check read. Independent of objectives.
 */
import { type CaseJson, type ReadSettings, readSettings } from './read-settings.ts';

export type { CaseJson };

export type Report = (kind: string, name: string, quantity: string, ok: boolean, maxError: number) => void;
export type Skip = (kind: string, name: string, why: string) => void;

export interface LossCase {
  name: string;
  json: CaseJson;
  /** Converted to double precision, in which the recorded numbers were computed. */
  tensors: Map<string, { shape: number[]; data: Float64Array }>;
}

/** Largest allowed difference, relative to the largest magnitude of the expected tensor. */
export const tolerance = 1e-5;

export class Checker {
  private readonly settings: ReadSettings;
  /** Set once a part was skipped: its settings are then left unread. */
  private hasSkipped = false;

  constructor(
    readonly kind: string,
    readonly source: LossCase,
    private readonly report: Report,
    private readonly skipped: Skip,
  ) {
    this.settings = readSettings(source.json);
  }

  get json(): CaseJson {
    return this.settings.json;
  }

  /** Reports every setting of the case that no check read, unless a part of the case was skipped. */
  reportUnread(): void {
    if (this.hasSkipped) return;
    for (const path of this.settings.unread())
      this.report(this.kind, this.source.name, `the setting ${path} is not read`, false, Number.POSITIVE_INFINITY);
  }

  has(name: string): boolean {
    return this.source.tensors.has(name);
  }

  tensor(name: string): Float64Array {
    const found = this.source.tensors.get(name);
    if (!found) throw new Error(`${this.source.name} has no tensor ${name}`);
    return found.data;
  }

  /** Last dimension of a tensor. */
  width(name: string): number {
    return this.source.tensors.get(name)!.shape.at(-1)!;
  }

  /** Compares with the tensor `name` if the case has it. */
  compare(name: string, actual: ArrayLike<number>): void {
    if (this.has(name)) this.compareWith(name, actual, this.tensor(name));
  }

  compareNumber(name: string, actual: number, expected: number | undefined): void {
    if (expected !== undefined) this.compareWith(name, [actual], [expected]);
  }

  compareWith(name: string, actual: ArrayLike<number>, expected: ArrayLike<number>): void {
    const error = relativeError(actual, expected);
    this.report(this.kind, this.source.name, name, error <= tolerance, error);
  }

  skip(why: string, kind = this.kind): void {
    this.hasSkipped = true;
    this.skipped(kind, this.source.name, why);
  }
}

/** Largest difference divided by the largest expected magnitude; absolute if all expected values are (near) zero. */
export function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let worst = 0;
  let scale = 0;
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(actual[i] - expected[i]);
    // NaN must not pass as "no difference".
    worst = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : Math.max(worst, difference);
    scale = Math.max(scale, Math.abs(expected[i]));
  }
  return scale > 1e-12 ? worst / scale : worst;
}
