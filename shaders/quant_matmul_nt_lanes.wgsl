// quant_matmul_nt with LANES threads per COLUMNS columns, each of which takes every LANES-th eight values of k; their
// sums are added at the end. For few rows on real GPUs: adjacent threads load adjacent words, each unpacked weight
// serves ROWS rows, and each vector of the input COLUMNS columns.
// Shapes: inp (M, K), weight (N, K), bias (N), residual and out (M, N); K is a multiple of four.
// Constants: BITS, MINIMUM, ROWS, COLUMNS, LANES (a power of two, at most 64), EACH = ceil(ROWS COLUMNS / LANES)
// outputs a thread, SUBGROUPS, HAS_BIAS, HAS_RESIDUAL, LOW_RANK (low_rank1.wgsl), RANK_FOURS (low_rank_add.wgsl),
// GATED (lane_gated1.wgsl).
// @registers many ROWS 8
// @include grid
// @include quant
// @include eight BITS
// @include lane_sum SUBGROUPS
// @include low_rank LOW_RANK
// @repeat l LOW_RANK
// @include low_rank_add
// @end
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<vec4f>;
@group(0) @binding(2) var<storage, read> codes: array<EIGHT>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;
// @include lane_gated GATED
@group(0) @binding(6) var<storage, read_write> out: array<f32>;
// @repeat l LOW_RANK
@group(0) @binding(7) var<storage, read> mid: array<vec4f>;
@group(0) @binding(8) var<storage, read> B: array<vec4f>;
// @end

// Scale of a byte and the value of byte 0, in group g of row n.
fn factors_of(n: u32, g: u32, G: u32) -> vec2f {
  let s = scale_of(n, g, G);
  return vec2f(s.x, s.y - OFFSET * s.x);
}

fn product_add(a: vec4f, b: vec4f, sum: f32) -> f32 {
  return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, sum))));
}

// Value of an output with that sum.
fn output_of(m: u32, n: u32, sum: f32) -> f32 {
  var value = sum;
  if (HAS_BIAS == 1u) { value += bias[n]; }
  if (HAS_RESIDUAL == 1u) { value += residual[m * p.N + n]; }
  // @repeat l LOW_RANK
  value = with_low_rank(m, n, value);
  // @end
  return value;
}

@compute @workgroup_size(64)
fn quant_matmul_nt_lanes(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) thread: u32) {
  const across = 64u / LANES * COLUMNS;
  let K = p.K / 4u;
  let G = groups_of(p.K);
  let columns = (p.N + across - 1u) / across;
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / columns) * ROWS;
  if (m0 >= p.M) { return; }
  let first = (tile % columns) * across + thread / LANES * COLUMNS;
  let lane = thread % LANES;
  // Rows past M and columns past N repeat the last one; their sums are computed but not stored.
  // @repeat c COLUMNS
  let n$c = column_of(first, $cu);
  // @end
  // @repeat i ROWS
  let row$i = min(m0 + $iu, p.M - 1u) * K;
  // @repeat c COLUMNS
  var acc$i_$c = 0.0;
  // @end
  // @end
  for (var e = lane; e * 2u < K; e += LANES) {
    let k = e * 2u;
    let l = min(k + 1u, K - 1u);
    // @repeat c COLUMNS
    let word$c = codes[n$c * G * 4u + e];
    let s$c = factors_of(n$c, e / 4u, G);
    // Values past K are zero: without a minimum by their codes.
    let t$c = select(s$c, vec2f(), MINIMUM == 1u && k + 1u == K);
    let low$c = low_values(word$c, s$c);
    let high$c = high_values(word$c, t$c);
    // @end
    // @repeat i ROWS
    let x$i = inp[row$i + k];
    let y$i = inp[row$i + l];
    // @repeat c COLUMNS
    acc$i_$c = product_add(y$i, high$c, product_add(x$i, low$c, acc$i_$c));
    // @end
    // @end
  }
  // @repeat i ROWS
  // @repeat c COLUMNS
  lane_sum_add(number_of($iu, $cu), acc$i_$c, thread);
  // @end
  // @end
  lane_sum_settle();
// @include lane_outputs GATED
}
