/** Result of one part of the soak. */
import type { Trend } from '../../tools/memory-trend.ts';

export interface Part {
  /** Lines of the report: what was done, and how often. */
  lines: string[];
  /** Faults thrown in. */
  faults: number;
  /** Runs that lost anything or ended with other numbers, and calls that failed without a fault of their own. */
  lost: string[];
  /** Hostile inputs that were accepted. */
  accepted: string[];
  /** Trends that must be flat. */
  memory: Trend[];
  /** Trends that are listed for comparison. */
  compared?: Trend[];
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
