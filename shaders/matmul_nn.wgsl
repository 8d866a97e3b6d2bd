// dinp[m, k] = sum_n dout[m, n] * weight[n, k] (+ what dinp holds): the backward of a linear layer to its input, with the same
// weight buffer as the forward.
// Shapes: dout (M, N), weight (N, K), dinp (M, K). One thread computes ROWS rows of WIDTH neighbouring columns.
// Constants: WIDTH (4, or 1 where 4 does not divide K), ROWS, ACCUMULATE.
// @include elem
// @include grid
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<ELEM>;
@group(0) @binding(3) var<storage, read_write> dinp: array<ELEM>;

@compute @workgroup_size(32)
fn matmul_nn(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let K = p.K / WIDTH;
  let columns = (K + 31u) / 32u;
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / columns) * ROWS;
  let k = (tile % columns) * 32u + lane;
  if (m0 >= p.M || k >= K) { return; }
  var acc: array<ELEM, ROWS>;
  for (var i = 0u; i < ROWS; i++) { acc[i] = splat(0.0); }
  var source: array<u32, ROWS>;
  for (var i = 0u; i < ROWS; i++) { source[i] = min(m0 + i, p.M - 1u) * p.N; }
  for (var n = 0u; n < p.N; n++) {
    let w = weight[n * K + k];
    for (var i = 0u; i < ROWS; i++) { acc[i] = fma(splat(dout[source[i] + n]), w, acc[i]); }
  }
  for (var i = 0u; i < ROWS; i++) {
    let m = m0 + i;
    if (m < p.M) {
      if (ACCUMULATE == 1u) { dinp[m * K + k] += acc[i]; } else { dinp[m * K + k] = acc[i]; }
    }
  }
}
