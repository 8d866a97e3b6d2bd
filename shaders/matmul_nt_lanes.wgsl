// matmul_nt for matrices of few rows and long ones, as a low-rank adapter's first: one thread a column would leave most
// of a GPU idle. LANES threads share a sum over k, each takes every LANES-th vector of four, and their sums are added
// pairwise through workgroup memory.
// Shapes: inp (M, K), weight (N, K), bias (N), residual and out (M, N); N and K are multiples of four.
// A workgroup computes ROWS rows of 4 GROUPS columns, four columns by LANES threads: 4 + ROWS loads of 16 bytes serve
// 16 ROWS multiply-adds.
// Constants: ROWS (at most LANES), LANES (a power of two), GROUPS, HAS_BIAS, HAS_RESIDUAL. Workgroup memory:
// 16 ROWS LANES GROUPS bytes.
// @registers many ROWS 8
// @include grid
// @include lane_vectors
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<vec4f>;
@group(0) @binding(2) var<storage, read> weight: array<vec4f>;
@group(0) @binding(3) var<storage, read> bias: array<vec4f>;
@group(0) @binding(4) var<storage, read> residual: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4f>;
const THREADS = LANES * GROUPS;
const STRIDE = 1u;
const VECTORS = ROWS;

@compute @workgroup_size(THREADS)
fn matmul_nt_lanes(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) thread: u32) {
  let N = p.N / 4u;
  let K = p.K / 4u;
  let columns = (N + GROUPS - 1u) / GROUPS;
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / columns) * ROWS;
  if (m0 >= p.M) { return; }
  let n = (tile % columns) * GROUPS + thread / LANES;
  let lane = thread % LANES;
  // Rows past M and columns past N repeat the last one; their products are computed but not stored.
  // @repeat i ROWS
  var acc$i = vec4f();
  let row$i = min(m0 + $iu, p.M - 1u) * K;
  // @end
  let w0 = min(n, N - 1u) * 4u * K;
  for (var k = lane; k < K; k += LANES) {
    let a = weight[w0 + k];
    let b = weight[w0 + K + k];
    let c = weight[w0 + 2u * K + k];
    let d = weight[w0 + 3u * K + k];
    // @repeat i ROWS
    let x$i = inp[row$i + k];
    acc$i += vec4f(dot(x$i, a), dot(x$i, b), dot(x$i, c), dot(x$i, d));
    // @end
  }
  // @repeat i ROWS
  sums[$iu * THREADS + thread] = acc$i;
  // @end
  add_lanes(thread, lane);
  let m = m0 + lane;
  if (lane >= ROWS || m >= p.M || n >= N) { return; }
  var value = sums[lane * THREADS + thread - lane];
  if (HAS_BIAS == 1u) { value += bias[n]; }
  if (HAS_RESIDUAL == 1u) { value += residual[m * N + n]; }
  out[m * N + n] = value;
}
