// out[m, n] = sum_k inp[m, k] * weight[n, k] (+ bias[n]) (+ residual[m, n]) with packed weights (quant.wgsl). Like
// matmul_nt it works in registers: one thread computes ROWS rows of four columns, and unpacks four values of each
// column once for all ROWS. The order of the sum is that of matmul_nt for any ROWS. Unpacking eight values at a time
// would load an int4 u32 once instead of twice, but spills registers: on lavapipe 2.9 GFLOP/s per core instead of 4.8
// (int8), and 3.5 instead of 5.4 (int4).
// Shapes: inp (M, K), weight (N, K), bias (N), residual and out (M, N); N and K are multiples of four.
// Constants: BITS, MINIMUM, ROWS, LANES, HAS_BIAS, HAS_RESIDUAL.
// @include grid
// @include quant
// @include quant_words
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<vec4f>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read> bias: array<vec4f>;
@group(0) @binding(5) var<storage, read> residual: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(LANES)
fn quant_matmul_nt(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let N = p.N / 4u;
  let K = p.K / 4u;
  let G = groups_of(p.K);
  let columns = (N + LANES - 1u) / LANES;
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / columns) * ROWS;
  let n = (tile % columns) * LANES + lane;
  if (m0 >= p.M || n >= N) { return; }
  // Rows past M repeat the last one; their products are computed but not stored.
  // @repeat i ROWS
  var acc$i = vec4f();
  let row$i = min(m0 + $iu, p.M - 1u) * K;
  // @end
  for (var g = 0u; g < G; g++) {
    // @repeat c 4
    let s$c = scale_of(n * 4u + $cu, g, G);
    // @end
    let end = min(g * 8u + 8u, K);
    for (var k = g * 8u; k < end; k++) {
      // @repeat c 4
      let a$c = values_of(codes4(n * 4u + $cu, k, G), s$c);
      // @end
      // @repeat i ROWS
      let x$i = inp[row$i + k];
      acc$i += vec4f(dot(x$i, a0), dot(x$i, a1), dot(x$i, a2), dot(x$i, a3));
      // @end
    }
  }
  var extra = vec4f();
  if (HAS_BIAS == 1u) { extra = bias[n]; }
  // @repeat i ROWS
  if (m0 + $iu < p.M) {
    var value = acc$i + extra;
    if (HAS_RESIDUAL == 1u) { value += residual[(m0 + $iu) * N + n]; }
    out[(m0 + $iu) * N + n] = value;
  }
  // @end
}
