/** Smallest number of rows in ascending `steps` that holds M of them, or the largest step. */
export const rowsFor = (M: number, steps: readonly number[]) =>
  steps.find((rows) => rows >= M) ?? steps[steps.length - 1];
