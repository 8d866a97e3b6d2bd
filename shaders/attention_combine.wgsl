// Joins the partial results of attention_forward_tiled's splits by their log-sum-exps. The order is that of the keys,
// so it does not depend on which split finished first.
// Shapes: partials (T, H, splits, E + 1), out (T, H D), lse (T, H). One thread per four columns of a head of a token.
// Constants: H, E = D / 4, SPLIT.
// @include grid
// @include token
struct Params { T: u32, splits: u32, prefixSplits: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tokens: array<Token>;
@group(0) @binding(2) var<storage, read> partials: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> lse: array<f32>;

@compute @workgroup_size(64)
fn attention_combine(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.T * H * E) { return; }
  let at = i / E;
  let e = i % E;
  let token = tokens[at / H];
  let prefixes = (token.prefixEnd - token.prefixStart + SPLIT - 1u) / SPLIT;
  let owns = (token.ownEnd - token.ownStart + SPLIT - 1u) / SPLIT;
  var largest = -1e30;
  var sum = 0.0;
  var acc = vec4f();
  for (var s = 0u; s < prefixes + owns; s++) {
    let part = (at * p.splits + select(p.prefixSplits + s - prefixes, s, s < prefixes)) * (E + 1u);
    let sums = partials[part + E];
    let next = max(largest, sums.x);
    let before = exp(largest - next);
    let here = exp(sums.x - next);
    acc = acc * before + partials[part + e] * here;
    sum = sum * before + sums.y * here;
    largest = next;
  }
  out[i] = acc * (1.0 / max(sum, 1e-30));
  if (e == 0u) { lse[at] = largest + log(max(sum, 1e-30)); }
}
