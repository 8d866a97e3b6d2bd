// Log-probability, entropy and log-sum-exp from the running softmax.
// Shapes: state (N, 4), lse (N), results (N, 8) = logprob, entropy, loss, weight, aux x 4; this kernel writes the first
// two. One thread per row.
// @include grid
struct Params { N: u32, resultOffset: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> state: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> results: array<f32>;
@group(0) @binding(3) var<storage, read_write> lse: array<f32>;

@compute @workgroup_size(64)
fn head_finish(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let n = linear_workgroup(wg, count) * 64u + lane;
  if (n >= p.N) { return; }
  let row = state[n];
  let log_sum = log(row.y);
  lse[n] = row.x + log_sum;
  results[(p.resultOffset + n) * 8u] = (row.w - row.x) - log_sum;
  results[(p.resultOffset + n) * 8u + 1u] = log_sum - row.z / row.y;
}
