// out[m, n] = sum_k inp[m, k] * weight[n, k] (+ bias[n]) (+ residual[m, n]): the forward of a linear layer. The weight
// is (N, K), as in a checkpoint.
// Shapes: inp (M, K), weight (N, K), bias (N), residual and out (M, N); N and K are multiples of four.
// One thread computes ROWS rows of four columns in registers: 12 loads of 16 bytes serve 128 multiply-adds. The lanes
// of a workgroup take adjacent columns, so they all load the same elements of inp. Without workgroup memory this is the
// fastest simple form on software adapters.
// Constants: ROWS, LANES, HAS_BIAS, HAS_RESIDUAL.
// @include grid
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<vec4f>;
@group(0) @binding(2) var<storage, read> weight: array<vec4f>;
@group(0) @binding(3) var<storage, read> bias: array<vec4f>;
@group(0) @binding(4) var<storage, read> residual: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(LANES)
fn matmul_nt(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let N = p.N / 4u;
  let K = p.K / 4u;
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
  let w0 = n * 4u * K;
  for (var k = 0u; k < K; k++) {
    let a = weight[w0 + k];
    let b = weight[w0 + K + k];
    let c = weight[w0 + 2u * K + k];
    let d = weight[w0 + 3u * K + k];
    // @repeat i ROWS
    let x$i = inp[row$i + k];
    acc$i += vec4f(dot(x$i, a), dot(x$i, b), dot(x$i, c), dot(x$i, d));
    // @end
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
