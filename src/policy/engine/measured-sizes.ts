/** Sizes of the products by which the forms of matmuls are compared, for f32 and packed weights. */

export interface Weight {
  N: number;
  K: number;
}

/** Rows of prefill and training. */
export const manyRows = 1024;
export const widest = 2048;
export const deepest = 512;

/**
 * N by K weights as in a layer of a small language model: a wide product, whose outputs fill any GPU, and a narrow one,
 * which leaves cores of a large GPU idle. A form is chosen by its time for both, so the wide one counts as in a run:
 * for most of the operations. Together 2.7 GFLOP for `manyRows`, about 3 ms on a small integrated GPU.
 */
export const layerWeights: readonly Weight[] = [
  { N: widest, K: deepest },
  { N: 512, K: deepest },
];
