// Causal attention of each query head over the K/V rows its token may see, with an online softmax (Milakov & Gimelshein
// 2018; Dao et al. 2022, https://arxiv.org/abs/2205.14135). It stores the log-sum-exp and nothing of size tokens x
// tokens.
// Grouped-query attention: H / KV query heads share a key head (Ainslie et al. 2023, https://arxiv.org/abs/2305.13245).
// Shapes: tokens (T), query (T, H D), cache (rows, 2 KV D) = k | v, out (T, H D), lse (T, H). One thread per head of a
// token.
// Constants: H, KV, D, WIDTH, E = D / WIDTH, SCALE_F = 1/sqrt(D).
// @include elem WIDTH
// @include grid
// @include token
struct Params { T: u32, pageBits: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tokens: array<Token>;
@group(0) @binding(2) var<storage, read> query: array<ELEM>;
@group(0) @binding(3) var<storage, read> pages: array<u32>;
@group(0) @binding(4) var<storage, read> cache: array<ELEM>;
@group(0) @binding(5) var<storage, read_write> out: array<ELEM>;
@group(0) @binding(6) var<storage, read_write> lse: array<f32>;
// @include pages

@compute @workgroup_size(64)
fn attention_forward(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.T * H) { return; }
  let token = tokens[i / H];
  let kv_head = (i % H) / (H / KV);
  // @repeat e E
  let q$e = query[i * E + $eu] * SCALE_F;
  var acc$e = splat(0.0);
  // @end
  var largest = -1e30;
  var sum = 0.0;
  let prefix = token.prefixEnd - token.prefixStart;
  let seen = prefix + token.ownEnd - token.ownStart;
  for (var j = 0u; j < seen; j++) {
    let row = physical(select(token.ownStart + j - prefix, token.prefixStart + j, j < prefix));
    let key = row * 2u * KV * E + kv_head * E;
    var product = splat(0.0);
    // @repeat e E
    product += q$e * cache[key + $eu];
    // @end
    let score = inner_product(product, splat(1.0));
    let next = max(largest, score);
    let rescale = exp(largest - next);
    let weight = exp(score - next);
    sum = sum * rescale + weight;
    largest = next;
    let value = key + KV * E;
    // @repeat e E
    acc$e = acc$e * rescale + weight * cache[value + $eu];
    // @end
  }
  let scale = 1.0 / max(sum, 1e-30);
  // @repeat e E
  out[i * E + $eu] = acc$e * scale;
  // @end
  lse[i] = largest + log(max(sum, 1e-30));
}
