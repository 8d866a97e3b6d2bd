/** Result of a comparison with a recording. */
import type { Difference } from './transcripts.ts';

export interface ReplayResult {
  items: number;
  agree: number;
  total: number;
  first: Difference | null;
}
