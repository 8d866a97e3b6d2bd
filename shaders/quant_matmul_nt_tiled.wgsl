// quant_matmul_nt through workgroup memory: for prefill and training on real GPUs, and for batched decoding of up to
// TILE_M rows, which then unpacks each weight once. One workgroup computes TILE_M x TILE_N outputs, 16 values of k at a
// time. These lie in one group, so the tile holds unscaled codes, which are exact in f16 too, and the scale multiplies
// the sum of the step; a minimum multiplies the sum of the step's inputs. A thread computes four rows m = y, y + TILE_M / 4, ... and four columns. Inputs and sums are
// f32. Elements outside the matrices are zero.
// Shapes: inp (M, K), weight (N, K), bias (N), residual and out (M, N); K is a multiple of four.
// Constants: BITS, MINIMUM, TILE_M, TILE_N, STAGE_BITS (32 or 16: the tile of codes as f32 or f16), HAS_BIAS,
// HAS_RESIDUAL, LOW_RANK (low_rank1.wgsl), RANK_FOURS (low_rank_add.wgsl).
// @include grid
// @include quant
// @include quant_words
// @include stage STAGE_BITS
// @include low_rank LOW_RANK
// @repeat l LOW_RANK
// @include low_rank_add
// @end
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<vec4f>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;
@group(0) @binding(5) var<storage, read> residual: array<f32>;
@group(0) @binding(6) var<storage, read_write> out: array<f32>;
// @repeat l LOW_RANK
@group(0) @binding(7) var<storage, read> mid: array<vec4f>;
@group(0) @binding(8) var<storage, read> B: array<vec4f>;
// @end
const THREADS = TILE_M * TILE_N / 16u;
const DOWN = TILE_M / 4u;
const ACROSS = TILE_N / 4u;
var<workgroup> rows: array<vec4f, TILE_M * 4u>;
var<workgroup> columns: array<STAGE, TILE_N * 4u>;
var<workgroup> factors: array<vec2f, TILE_N>;
// Sums of the four components of `rows`.
var<workgroup> inputs: array<f32, TILE_M * 4u>;

fn store(m: u32, n: u32, sum: f32) {
  if (m >= p.M || n >= p.N) { return; }
  var value = sum;
  if (HAS_BIAS == 1u) { value += bias[n]; }
  if (HAS_RESIDUAL == 1u) { value += residual[m * p.N + n]; }
  // @repeat l LOW_RANK
  value = with_low_rank(m, n, value);
  // @end
  out[m * p.N + n] = value;
}

@compute @workgroup_size(THREADS)
fn quant_matmul_nt_tiled(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let K = p.K / 4u;
  let G = groups_of(p.K);
  let tiles = (p.N + TILE_N - 1u) / TILE_N;
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / tiles) * TILE_M;
  let n0 = (tile % tiles) * TILE_N;
  if (m0 >= p.M) { return; }
  let x = lane % ACROSS;
  let y = lane / ACROSS;
  // @repeat i 4
  var acc$i = vec4f();
  // @end
  for (var k0 = 0u; k0 < K; k0 += 4u) {
    workgroupBarrier();
    for (var i = lane; i < TILE_M * 4u; i += THREADS) {
      let m = m0 + i / 4u;
      let k = k0 + i % 4u;
      var value = vec4f();
      if (m < p.M && k < K) { value = inp[m * K + k]; }
      rows[(i % 4u) * TILE_M + i / 4u] = value;
      if (MINIMUM == 1u) { inputs[(i % 4u) * TILE_M + i / 4u] = dot(value, vec4f(1.0)); }
    }
    for (var i = lane; i < TILE_N * 4u; i += THREADS) {
      let n = n0 + i / 4u;
      let k = k0 + i % 4u;
      var value = vec4f();
      if (n < p.N && k < K) { value = codes4(n, k, G); }
      columns[(i % 4u) * TILE_N + i / 4u] = STAGE(value);
    }
    for (var i = lane; i < TILE_N; i += THREADS) {
      var factor = vec2f();
      if (n0 + i < p.N) { factor = scale_of(n0 + i, k0 / 8u, G); }
      factors[i] = factor;
    }
    workgroupBarrier();
    // @repeat i 4
    var sum$i = vec4f();
    // @end
    for (var kk = 0u; kk < 4u; kk++) {
      let r = kk * TILE_M + y;
      let c = kk * TILE_N + x;
      // @repeat j 4
      let w$j = vec4f(columns[c + $ju * ACROSS]);
      // @end
      // @repeat i 4
      let x$i = rows[r + $iu * DOWN];
      sum$i += vec4f(dot(x$i, w0), dot(x$i, w1), dot(x$i, w2), dot(x$i, w3));
      // @end
    }
    // @repeat j 4
    let f$j = factors[x + $ju * ACROSS];
    // @end
    let s = vec4f(f0.x, f1.x, f2.x, f3.x);
    // @repeat i 4
    acc$i += sum$i * s;
    // @end
    if (MINIMUM == 1u) {
      let m = vec4f(f0.y, f1.y, f2.y, f3.y);
      // @repeat i 4
      let a$i = y + $iu * DOWN;
      acc$i += (inputs[a$i] + inputs[a$i + TILE_M] + inputs[a$i + 2u * TILE_M] + inputs[a$i + 3u * TILE_M]) * m;
      // @end
    }
  }
  // @repeat i 4
  store(m0 + y + $iu * DOWN, n0 + x, acc$i.x);
  store(m0 + y + $iu * DOWN, n0 + x + ACROSS, acc$i.y);
  store(m0 + y + $iu * DOWN, n0 + x + 2u * ACROSS, acc$i.z);
  store(m0 + y + $iu * DOWN, n0 + x + 3u * ACROSS, acc$i.w);
  // @end
}
