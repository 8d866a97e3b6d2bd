// head_sparse_dlogits with a teacher: the gradient of the logits of the allowed tokens, in place, with the row's weight
// times its divergence D between the policy p and the teacher q in the loss; and D itself.
// beta 1: D = sum p (log p - log q). beta 0: D = sum q (log q - log p). Between: D = sum beta q (log q - log m) +
// (1 - beta) p (log p - log m), m = beta q + (1 - beta) p (Agarwal et al. 2023, arXiv 2306.13649, section 2.1).
// dD/dlogit = s - p sum s over the row, where s is p dD/dp up to a multiple of p: p (log p - log q), -q, (1 - beta) p
// (log p - log m).
// Shapes: lists = start (N + 1) at startOffset and entryToken (E) at tokenOffset, targets (N), lse (N), results (N, 8),
// seeds (N, 2), teacher = weight (N) and log q (E), logits (E), divergences (N). A row of weight 0 has no teacher.
// One thread per row, because allowed lists are short.
// @include grid
struct Params { N: u32, startOffset: u32, tokenOffset: u32, resultOffset: u32, inverseTemperature: f32, beta: f32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> lists: array<u32>;
@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read> lse: array<f32>;
@group(0) @binding(4) var<storage, read> results: array<f32>;
@group(0) @binding(5) var<storage, read> seeds: array<vec2f>;
@group(0) @binding(6) var<storage, read> teacher: array<f32>;
@group(0) @binding(7) var<storage, read_write> logits: array<f32>;
@group(0) @binding(8) var<storage, read_write> divergences: array<f32>;

// A token's term of D, and its s.
fn divergence_terms(logp: f32, logq: f32) -> vec2f {
  let probability = exp(logp);
  if (p.beta >= 1.0) { return vec2f(probability * (logp - logq)); }
  let q = exp(logq);
  if (p.beta <= 0.0) { return vec2f(q * (logq - logp), -q); }
  let top = max(logp, logq);
  let logm = top + log(p.beta * exp(logq - top) + (1.0 - p.beta) * exp(logp - top));
  let own = (1.0 - p.beta) * probability * (logp - logm);
  return vec2f(p.beta * q * (logq - logm) + own, own);
}

@compute @workgroup_size(64)
fn head_divergence_dlogits(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let n = linear_workgroup(wg, count) * 64u + lane;
  if (n >= p.N) { return; }
  let start = lists[p.startOffset + n];
  let end = lists[p.startOffset + n + 1u];
  let weight = teacher[n];
  var sums = vec2f();
  if (weight != 0.0) {
    for (var e = start; e < end; e++) { sums += divergence_terms(logits[e] - lse[n], teacher[p.N + e]); }
  }
  divergences[p.resultOffset + n] = sums.x;
  let entropy = results[(p.resultOffset + n) * 8u + 1u];
  let seed = seeds[n];
  for (var e = start; e < end; e++) {
    let logprob = logits[e] - lse[n];
    let probability = exp(logprob);
    let hit = select(0.0, 1.0, targets[n] == lists[p.tokenOffset + e]);
    var slope = seed.x * (hit - probability) - seed.y * probability * (logprob + entropy);
    if (weight != 0.0) { slope += weight * (divergence_terms(logprob, teacher[p.N + e]).y - probability * sums.y); }
    logits[e] = slope * p.inverseTemperature;
  }
}
