/** Result of one kind of fault. */
export interface Outcome {
  what: string;
  tried: number;
  /** Runs that lost anything, or ended with other numbers. */
  lost: number;
  /** Damaged or hostile inputs that were accepted as undamaged. */
  accepted: number;
}
