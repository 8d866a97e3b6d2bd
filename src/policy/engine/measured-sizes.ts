/** Sizes of the products by which the forms of matmuls are compared, for f32 and packed weights. */

export interface Weight {
  N: number;
  K: number;
}

/** Rows of prefill and training. */
export const manyRows = 1024;
export const widest = 2048;
export const deepest = 2048;

/**
 * N by K weights as in a layer of a small language model: a wide product, whose outputs fill any GPU, a narrow one, which
 * leaves cores of a large GPU idle, and a narrow one with long sums. A form is chosen by its time for all three.
 * Together 4.8 GFLOP for `manyRows`, about 5 ms on a small integrated GPU.
 */
export const layerWeights: readonly Weight[] = [
  { N: widest, K: 512 },
  { N: 512, K: 512 },
  { N: 512, K: deepest },
];
