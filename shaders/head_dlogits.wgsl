// Gradient of a tile of logits (logit_gradient.wgsl), in place.
// Shapes: logits (N, W) of vocabulary rows [first, first + W), targets (N), lse (N), results (N, 8), seeds (N, 2) =
// weight, entropyWeight. One thread per element.
// @include grid
struct Params { N: u32, W: u32, first: u32, resultOffset: u32, inverseTemperature: f32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> targets: array<u32>;
@group(0) @binding(2) var<storage, read> lse: array<f32>;
@group(0) @binding(3) var<storage, read> results: array<f32>;
@group(0) @binding(4) var<storage, read> seeds: array<vec2f>;
@group(0) @binding(5) var<storage, read_write> logits: array<f32>;
// @include logit_gradient

@compute @workgroup_size(64)
fn head_dlogits(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.N * p.W) { return; }
  let n = i / p.W;
  let row = ScoredRow(targets[n], lse[n], results[(p.resultOffset + n) * 8u + 1u], seeds[n]);
  logits[i] = logit_gradient(row, p.first + i % p.W, logits[i]);
}
