/** Number of pieces of a sum over many rows, common to the plan's allocation and the kernel calls. */

/** Size of the buffer of partial sums, in floats. */
export const partialFloats = 1 << 20;

/** Number of row chunks of a weight gradient's sum, so that many workgroups share the work. */
export function partialChunks(rows: number, size: number): number {
  const wanted = Math.ceil(rows / 512);
  return Math.max(1, Math.min(wanted, Math.floor(partialFloats / size), 16));
}
