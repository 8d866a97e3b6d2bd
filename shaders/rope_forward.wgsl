// Rotary position embedding (Su et al. 2021, https://arxiv.org/abs/2104.09864; halves paired as in Hugging Face's
// models) after an optional RMSNorm of each head (Qwen3). Reads the fused projection, writes the queries and the K/V
// cache.
// Shapes: inp (T, (H + 2 KV) D) = q | k | v, tokens (T), table (P, D) = cos | sin, gains (2 D) = q_norm | k_norm, query
// (T, H D), cache (rows, 2 KV D) = k | v. The cache holds the bits of floats, or with KV8 per head D bytes and the bits
// of their scale.
// One thread per head of a token (H query, KV key and KV value heads). Constants: H, KV, D, QK_NORM, EPS_F, KV8.
// @include grid
// @include token
struct Params { T: u32, pageBits: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tokens: array<Token>;
@group(0) @binding(2) var<storage, read> inp: array<f32>;
@group(0) @binding(3) var<storage, read> table: array<f32>;
@group(0) @binding(4) var<storage, read> gains: array<f32>;
@group(0) @binding(5) var<storage, read> pages: array<u32>;
@group(0) @binding(6) var<storage, read_write> query: array<f32>;
@group(0) @binding(7) var<storage, read_write> cache: array<u32>;
// @include pages
// A head of a token: its start in `inp`, `table` and `gains`, and the factor of its norm.
struct Head { source: u32, angle: u32, gain: u32, scale: f32, isValue: bool }
// Elements d of both halves after the norm.
fn pair(head: Head, d: u32) -> vec2f {
  let x = vec2f(inp[head.source + d], inp[head.source + d + D / 2u]) * head.scale;
  if (QK_NORM == 0u) { return x; }
  return x * vec2f(gains[head.gain + d], gains[head.gain + d + D / 2u]);
}
// Elements d of both halves after norm and rotation.
fn rotated(head: Head, d: u32) -> vec2f {
  let x = pair(head, d);
  let c = table[head.angle + d];
  let s = table[head.angle + D / 2u + d];
  return vec2f(x.x * c - x.y * s, x.y * c + x.x * s);
}
// Element d as stored in the cache. Values are neither normalised nor rotated.
fn element(head: Head, d: u32) -> f32 {
  if (head.isValue) { return inp[head.source + d]; }
  let x = rotated(head, d % (D / 2u));
  return select(x.y, x.x, d < D / 2u);
}
// @include kv_store KV8

@compute @workgroup_size(64)
fn rope_forward(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  const heads = H + 2u * KV;
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.T * heads) { return; }
  let t = i / heads;
  let h = i % heads;
  let token = tokens[t];
  var head = Head(i * D, token.position * D, select(D, 0u, h < H), 1.0, h >= H + KV);
  if (QK_NORM == 1u && !head.isValue) {
    var sum = 0.0;
    for (var d = 0u; d < D; d++) { sum += inp[head.source + d] * inp[head.source + d]; }
    head.scale = inverseSqrt(sum / f32(D) + EPS_F);
  }
  if (h >= H) {
    keep(physical(token.row) * 2u * KV + h - H, head);
    return;
  }
  let to = (t * H + h) * D;
  for (var d = 0u; d < D / 2u; d++) {
    let x = rotated(head, d);
    query[to + d] = x.x;
    query[to + d + D / 2u] = x.y;
  }
}
