// quant_matmul_nt with one output per thread: for sizes that are not multiples of four.
// Constants: BITS, MINIMUM, HAS_BIAS, HAS_RESIDUAL.
// @include grid
// @include quant
// @include quant_words
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<f32>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;
@group(0) @binding(5) var<storage, read> residual: array<f32>;
@group(0) @binding(6) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn quant_matmul_nt_scalar(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.M * p.N) { return; }
  let m = i / p.N;
  let n = i % p.N;
  let G = groups_of(p.K);
  var sum = 0.0;
  for (var k = 0u; k < p.K; k++) { sum += inp[m * p.K + k] * value_of(n, k, G); }
  if (HAS_BIAS == 1u) { sum += bias[n]; }
  if (HAS_RESIDUAL == 1u) { sum += residual[i]; }
  out[i] = sum;
}
