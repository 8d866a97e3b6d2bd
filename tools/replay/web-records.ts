/** Types shared by the parts of `npm run replay -- web`. */

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of many shapes, read by the part that knows it.
export type Recorded = any;

/** Comparison of one record. `aside`: reason for which a difference does not count. */
export interface Outcome {
  where: string;
  pairs: [what: string, expected: unknown, found: unknown][];
  aside?: string;
}
