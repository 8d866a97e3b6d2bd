// head_dlogits for the entries of the masked head, in place. One thread per entry.
// @include grid
struct Params { E: u32, rowOffset: u32, tokenOffset: u32, resultOffset: u32, inverseTemperature: f32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> lists: array<u32>;
@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read> lse: array<f32>;
@group(0) @binding(4) var<storage, read> results: array<f32>;
@group(0) @binding(5) var<storage, read> seeds: array<vec2f>;
@group(0) @binding(6) var<storage, read_write> logits: array<f32>;

@compute @workgroup_size(64)
fn head_sparse_dlogits(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let e = linear_workgroup(wg, count) * 64u + lane;
  if (e >= p.E) { return; }
  let n = lists[p.rowOffset + e];
  let logprob = logits[e] - lse[n];
  let probability = exp(logprob);
  let entropy = results[(p.resultOffset + n) * 8u + 1u];
  let hit = select(0.0, 1.0, targets[n] == lists[p.tokenOffset + e]);
  let seed = seeds[n];
  logits[e] = (seed.x * (hit - probability) - seed.y * probability * (logprob + entropy)) * p.inverseTemperature;
}
