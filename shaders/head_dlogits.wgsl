// Gradient of sum weight * logprob + entropyWeight * entropy with respect to a tile of logits, in place: (weight
// (onehot - p) - entropyWeight p (log p + entropy)) / temperature.
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

@compute @workgroup_size(64)
fn head_dlogits(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.N * p.W) { return; }
  let n = i / p.W;
  let logprob = logits[i] * p.inverseTemperature - lse[n];
  let probability = exp(logprob);
  let entropy = results[(p.resultOffset + n) * 8u + 1u];
  let hit = select(0.0, 1.0, targets[n] == p.first + i % p.W);
  let seed = seeds[n];
  logits[i] = (seed.x * (hit - probability) - seed.y * probability * (logprob + entropy)) * p.inverseTemperature;
}
