// matmul_tn with one output per thread: for sizes that are not multiples of four. Constant: ACCUMULATE.
// @include grid
struct Params { T: u32, N: u32, K: u32, chunk: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<f32>;
@group(0) @binding(2) var<storage, read> inp: array<f32>;
@group(0) @binding(3) var<storage, read_write> partials: array<f32>;

@compute @workgroup_size(64)
fn matmul_tn_scalar(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  let s = i / (p.N * p.K);
  let begin = s * p.chunk;
  if (begin >= p.T) { return; }
  let end = min(begin + p.chunk, p.T);
  let n = (i / p.K) % p.N;
  let k = i % p.K;
  var sum = 0.0;
  for (var t = begin; t < end; t++) { sum += dout[t * p.N + n] * inp[t * p.K + k]; }
  if (ACCUMULATE == 1u) { sum += partials[i]; }
  partials[i] = sum;
}
