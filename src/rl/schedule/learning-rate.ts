/** Learning rate of a step: a linear warm-up, then linear decay to its final fraction at the last step. */
export interface LearningRateSchedule {
  learningRate: number;
  warmupSteps: number;
  /** Learning rate at the last step as a fraction of the full one; 1: constant. */
  finalFraction: number;
}

/** Steps count from 1. */
export function learningRateAt(
  { learningRate, warmupSteps, finalFraction }: LearningRateSchedule,
  step: number,
  steps: number,
): number {
  if (step < warmupSteps) return (learningRate * step) / warmupSteps;
  const start = Math.max(1, warmupSteps);
  const way = steps > start ? Math.min(1, (step - start) / (steps - start)) : 0;
  return learningRate * (1 + (finalFraction - 1) * way);
}
