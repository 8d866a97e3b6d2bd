// dinp[m, k] = sum_n dout[m, n] * weight[n, k] (+ dinp[m, k]): the gradient of a linear layer's input, from the same
// weight buffer as the forward.
// Shapes: dout (M, N), weight (N, K), dinp (M, K); N and K are multiples of four.
// One thread computes ROWS rows of four columns. Constants: ROWS, LANES, ACCUMULATE.
// @include grid
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec4f>;
@group(0) @binding(2) var<storage, read> weight: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> dinp: array<vec4f>;

@compute @workgroup_size(LANES)
fn matmul_nn(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let N = p.N / 4u;
  let K = p.K / 4u;
  let columns = (K + LANES - 1u) / LANES;
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / columns) * ROWS;
  let k = (tile % columns) * LANES + lane;
  if (m0 >= p.M || k >= K) { return; }
  // @repeat i ROWS
  var acc$i = vec4f();
  let row$i = min(m0 + $iu, p.M - 1u) * N;
  // @end
  for (var n = 0u; n < N; n++) {
    let w0 = n * 4u * K + k;
    let a = weight[w0];
    let b = weight[w0 + K];
    let c = weight[w0 + 2u * K];
    let d = weight[w0 + 3u * K];
    // @repeat i ROWS
    let g$i = dout[row$i + n];
    acc$i += g$i.x * a + g$i.y * b + g$i.z * c + g$i.w * d;
    // @end
  }
  // @repeat i ROWS
  if (m0 + $iu < p.M) {
    if (ACCUMULATE == 1u) { acc$i += dinp[(m0 + $iu) * K + k]; }
    dinp[(m0 + $iu) * K + k] = acc$i;
  }
  // @end
}
