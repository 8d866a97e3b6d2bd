// out[m, n] = sum_k inp[m, k] * weight[n, k] (+ bias[n]) (+ residual[m, n]): the forward of a linear layer, weight as in a
// checkpoint, (N, K).
// Shapes: inp (M, K), weight (N, K), bias (N), residual and out (M, N).
// One thread computes ROWS rows of one column; the lanes of a workgroup are neighbouring columns, so that every load of inp
// is the same for all lanes and one load of weight serves ROWS products. No workgroup memory: the fastest simple form on
// software adapters, and short of a large GPU's peak only for sizes above a tiny policy's.
// Constants: WIDTH (4, or 1 where 4 does not divide K), ROWS, HAS_BIAS, HAS_RESIDUAL.
// @include elem
// @include grid
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<ELEM>;
@group(0) @binding(2) var<storage, read> weight: array<ELEM>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read> residual: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(32)
fn matmul_nt(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let columns = (p.N + 31u) / 32u;
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / columns) * ROWS;
  let n = (tile % columns) * 32u + lane;
  if (m0 >= p.M || n >= p.N) { return; }
  let K = p.K / WIDTH;
  var acc: array<ELEM, ROWS>;
  for (var i = 0u; i < ROWS; i++) { acc[i] = splat(0.0); }
  // Rows past M repeat the last one: their products are computed and not stored.
  var source: array<u32, ROWS>;
  for (var i = 0u; i < ROWS; i++) { source[i] = min(m0 + i, p.M - 1u) * K; }
  let w0 = n * K;
  for (var k = 0u; k < K; k++) {
    let w = weight[w0 + k];
    for (var i = 0u; i < ROWS; i++) { acc[i] = fma(inp[source[i] + k], w, acc[i]); }
  }
  for (var i = 0u; i < ROWS; i++) {
    let m = m0 + i;
    if (m < p.M) {
      var value = inner_product(acc[i], splat(1.0));
      if (HAS_BIAS == 1u) { value += bias[n]; }
      if (HAS_RESIDUAL == 1u) { value += residual[m * p.N + n]; }
      out[m * p.N + n] = value;
    }
  }
}
