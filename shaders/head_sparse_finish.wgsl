// Log-probability, entropy and log-sum-exp of each scored row over its allowed tokens.
// Shapes: lists = start (N + 1) at startOffset and entryToken (E) at tokenOffset, targets (N), logits (E), results (N,
// 8), lse (N).
// One thread per row, because allowed lists are short.
// @include grid
// @include online_softmax
struct Params { N: u32, startOffset: u32, tokenOffset: u32, resultOffset: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> lists: array<u32>;
@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read> logits: array<f32>;
@group(0) @binding(4) var<storage, read_write> results: array<f32>;
@group(0) @binding(5) var<storage, read_write> lse: array<f32>;

@compute @workgroup_size(64)
fn head_sparse_finish(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let n = linear_workgroup(wg, count) * 64u + lane;
  if (n >= p.N) { return; }
  var sum = softmax_empty();
  var hit = 0.0;
  for (var e = lists[p.startOffset + n]; e < lists[p.startOffset + n + 1u]; e++) {
    sum = softmax_add(sum, logits[e]);
    if (lists[p.tokenOffset + e] == targets[n]) { hit = logits[e]; }
  }
  let log_sum = log(sum.s);
  lse[n] = sum.m + log_sum;
  results[(p.resultOffset + n) * 8u] = (hit - sum.m) - log_sum;
  results[(p.resultOffset + n) * 8u + 1u] = log_sum - sum.u / sum.s;
}
