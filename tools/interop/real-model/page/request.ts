/** What Node asks of the page, and what the page reports. */
import type { Precision } from '../../../../src/policy/weights/linear.ts';

export interface BitsRequest {
  precision: Precision;
  /** Token ids. */
  chats: number[][];
  /** Number of chats with a greedy reply, and the token that ends it. */
  greedy: number;
  stop: number;
}

export type BitsReport = { hash: string; replies: number[][]; threads: number } | { error: string };
