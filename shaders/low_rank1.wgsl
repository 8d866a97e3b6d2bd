// Scalars of a product NT that adds a low-rank adapter's second product where it stores its sums: out[m, n] += scale *
// sum_j mid[m, part rank + j] * B[row, j]. B holds the matrices of the adapted parts one below another, as in lora.wgsl,
// `rows` in all; row r adds to column r + shift. The order of the sum is that of lora_up_fours.
// Shapes: mid (M, width), B (rows, rank); the rank and every part's rows and first column are multiples of four.
// The kernel declares the storage buffers `mid` and `B`. Constant: LOW_RANK, 1 with an adapter, else 0.
struct Params { M: u32, N: u32, K: u32, rows: u32, rank: u32, width: u32, end0: u32, end1: u32, shift0: u32, shift1: u32, shift2: u32, scale: f32 }

const NO_ROW = 0xffffffffu;

// Row of B that adds to column n, and its part. NO_ROW for a column without an adapter. A difference below zero is
// larger than any row.
fn low_rank_row(n: u32) -> vec2u {
  let a = n - p.shift0;
  if (a < p.end0) { return vec2u(a, 0u); }
  let b = n - p.shift1;
  if (b >= p.end0 && b < p.end1) { return vec2u(b, 1u); }
  let c = n - p.shift2;
  if (c >= p.end1 && c < p.rows) { return vec2u(c, 2u); }
  return vec2u(NO_ROW, 0u);
}
