// quant_matmul_nn with one output per thread: for sizes that are not multiples of four.
// Constants: BITS, MINIMUM, ACCUMULATE.
// @include grid
// @include quant
// @include quant_words
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<f32>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read_write> dinp: array<f32>;

@compute @workgroup_size(64)
fn quant_matmul_nn_scalar(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.M * p.K) { return; }
  let m = i / p.K;
  let k = i % p.K;
  let G = groups_of(p.K);
  var sum = 0.0;
  for (var n = 0u; n < p.N; n++) { sum += dout[m * p.N + n] * value_of(n, k, G); }
  if (ACCUMULATE == 1u) { sum += dinp[i]; }
  dinp[i] = sum;
}
