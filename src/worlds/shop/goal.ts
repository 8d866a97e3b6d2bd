/** A goal of the shop: a wish in words, and the parts by which a purchase is judged. */
import type { Wish } from './judge/reward.ts';

export interface Goal extends Wish {
  /** Id of the product that the goal was made from. */
  asin: string;
  instruction: string;
  /** Searches that the instruction's own words suggest, for the list of valid actions. */
  searches: readonly string[];
}
