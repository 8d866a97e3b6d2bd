// Adds one vocabulary tile to the running softmax of each scored row, and stores the target's logit if the tile
// contains it. The first tile initialises the state.
// Shapes: logits (N, W) of the vocabulary rows [first, first + W), targets (N), state (N, 4) = m, s, u, target logit.
// LANES threads share a row. Constant: LANES.
// @include grid
// @include online_softmax
struct Params { N: u32, W: u32, first: u32, inverseTemperature: f32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> logits: array<f32>;
@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read_write> state: array<vec4f>;
var<workgroup> partials: array<Softmax, 64>;

@compute @workgroup_size(64)
fn head_lse_update(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let n = linear_workgroup(wg, count) * (64u / LANES) + lane / LANES;
  let first = lane % LANES;
  var sum = softmax_empty();
  if (n < p.N) {
    for (var v = first; v < p.W; v += LANES) { sum = softmax_add(sum, logits[n * p.W + v] * p.inverseTemperature); }
  }
  if (LANES > 1u) {
    partials[lane] = sum;
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
      workgroupBarrier();
      if (first < half) { partials[lane] = softmax_merge(partials[lane], partials[lane + half]); }
    }
    workgroupBarrier();
    sum = partials[lane - first];
  }
  if (n >= p.N || first != 0u) { return; }
  var target_logit = 0.0;
  if (p.first > 0u) {
    let old = state[n];
    sum = softmax_merge(Softmax(old.x, old.y, old.z), sum);
    target_logit = old.w;
  }
  let at = targets[n] - p.first;
  if (targets[n] >= p.first && at < p.W) { target_logit = logits[n * p.W + at] * p.inverseTemperature; }
  state[n] = vec4f(sum.m, sum.s, sum.u, target_logit);
}
