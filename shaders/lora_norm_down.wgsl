// RMSNorm (rmsnorm_forward) of few rows and an adapter's first product of the result: normed[m, k] = inp[m, k] * rstd[m] *
// gain[k], out[m, n] = sum_k normed[m, k] * weight[n, k]. As in matmul_nt_lanes LANES threads share the sums over k of ROWS rows
// and four columns, and those of the squares beside them; the sum over k is multiplied by rstd at the end.
// Shapes: inp and normed (M, K), gain (K), weight (N, K), rstd (M), out (M, N); N and K are multiples of four.
// Constants: ROWS (1 or 4), LANES (a power of two), EPS_F. Workgroup memory: 16 (ROWS + 1) LANES bytes.
// @include grid
// @include lane_vectors
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<vec4f>;
@group(0) @binding(2) var<storage, read> gain: array<vec4f>;
@group(0) @binding(3) var<storage, read> weight: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> normed: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> rstd: array<f32>;
@group(0) @binding(6) var<storage, read_write> out: array<vec4f>;
const THREADS = LANES;
const STRIDE = 1u;
const VECTORS = ROWS + 1u;

@compute @workgroup_size(THREADS)
fn lora_norm_down(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let N = p.N / 4u;
  let K = p.K / 4u;
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / N) * ROWS;
  if (m0 >= p.M) { return; }
  let n = tile % N;
  var squares = vec4f();
  // Rows past M repeat the last one; their results are computed but not stored.
  // @repeat i ROWS
  var acc$i = vec4f();
  let row$i = min(m0 + $iu, p.M - 1u) * K;
  // @end
  let w0 = n * 4u * K;
  for (var k = lane; k < K; k += LANES) {
    let g = gain[k];
    let a = weight[w0 + k] * g;
    let b = weight[w0 + K + k] * g;
    let c = weight[w0 + 2u * K + k] * g;
    let d = weight[w0 + 3u * K + k] * g;
    // @repeat i ROWS
    let x$i = inp[row$i + k];
    acc$i += vec4f(dot(x$i, a), dot(x$i, b), dot(x$i, c), dot(x$i, d));
    squares[$i] += dot(x$i, x$i);
    // @end
  }
  // @repeat i ROWS
  sums[$iu * THREADS + lane] = acc$i;
  // @end
  sums[ROWS * THREADS + lane] = squares;
  add_lanes(lane, lane);
  let r = inverseSqrt(sums[ROWS * THREADS] / f32(p.K) + vec4f(EPS_F));
  if (lane < ROWS && m0 + lane < p.M) {
    out[(m0 + lane) * N + n] = sums[lane * THREADS] * r[lane];
    if (n == 0u) { rstd[m0 + lane] = r[lane]; }
  }
  // The workgroups of a row's columns share its values.
  for (var k = n * LANES + lane; k < K; k += N * LANES) {
    let g = gain[k];
    // @repeat i ROWS
    if (m0 + $iu < p.M) { normed[row$i + k] = inp[row$i + k] * r[$i] * g; }
    // @end
  }
}
