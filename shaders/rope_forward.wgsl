// Rotary positions (Su et al. 2021, halves paired as Hugging Face does), after an optional RMSNorm of each head (Qwen3), from
// the fused projection to the query buffer and the K/V cache.
// Shapes: inp (T, (H + 2 KV) D) = q | k | v, tokens (T), table (P, D) = cos | sin, gains (2 D) = q_norm | k_norm,
// query (T, H D), cache (rows, 2 KV D) = k | v. One thread a head of a token (H query, KV key, KV value heads).
// Constants: H, KV, D, QK_NORM, EPS_F.
// @include grid
// @include token
struct Params { T: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tokens: array<Token>;
@group(0) @binding(2) var<storage, read> inp: array<f32>;
@group(0) @binding(3) var<storage, read> table: array<f32>;
@group(0) @binding(4) var<storage, read> gains: array<f32>;
@group(0) @binding(5) var<storage, read_write> query: array<f32>;
@group(0) @binding(6) var<storage, read_write> cache: array<f32>;

@compute @workgroup_size(64)
fn rope_forward(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  const heads = H + 2u * KV;
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.T * heads) { return; }
  let t = i / heads;
  let head = i % heads;
  let token = tokens[t];
  let source = i * D;
  if (head >= H + KV) {
    let to = (token.row * 2u + 1u) * KV * D + (head - H - KV) * D;
    for (var d = 0u; d < D; d++) { cache[to + d] = inp[source + d]; }
    return;
  }
  var r = 1.0;
  if (QK_NORM == 1u) {
    var sum = 0.0;
    for (var d = 0u; d < D; d++) { sum += inp[source + d] * inp[source + d]; }
    r = inverseSqrt(sum / f32(D) + EPS_F);
  }
  let gain = select(D, 0u, head < H);
  let angle = token.position * D;
  for (var d = 0u; d < D / 2u; d++) {
    var a = inp[source + d] * r;
    var b = inp[source + d + D / 2u] * r;
    if (QK_NORM == 1u) { a *= gains[gain + d]; b *= gains[gain + d + D / 2u]; }
    let c = table[angle + d];
    let s = table[angle + D / 2u + d];
    let x = a * c - b * s;
    let y = b * c + a * s;
    if (head < H) {
      query[t * H * D + head * D + d] = x;
      query[t * H * D + head * D + d + D / 2u] = y;
    } else {
      let to = token.row * 2u * KV * D + (head - H) * D;
      cache[to + d] = x;
      cache[to + d + D / 2u] = y;
    }
  }
}
