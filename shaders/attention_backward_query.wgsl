// delta[t, h] = sum_d dout * out, and dquery = sum over the visible keys of p (dp - delta) k / sqrt(D), with p =
// exp(score - lse) and dp = dout . v (Dao 2023, algorithm 2). Scores are recomputed.
// Shapes: as attention_forward; attended (the `out` of the forward), dout and dquery (T, H D), delta (T, H).
// One thread per head of a token. Constants: H, KV, D, WIDTH, E = D / WIDTH, SCALE_F.
// @include elem WIDTH
// @include grid
// @include token
struct Params { T: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tokens: array<Token>;
@group(0) @binding(2) var<storage, read> query: array<ELEM>;
@group(0) @binding(3) var<storage, read> cache: array<ELEM>;
@group(0) @binding(4) var<storage, read> attended: array<ELEM>;
@group(0) @binding(5) var<storage, read> lse: array<f32>;
@group(0) @binding(6) var<storage, read> dout: array<ELEM>;
@group(0) @binding(7) var<storage, read_write> dquery: array<ELEM>;
@group(0) @binding(8) var<storage, read_write> delta: array<f32>;

@compute @workgroup_size(64)
fn attention_backward_query(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.T * H) { return; }
  let token = tokens[i / H];
  let kv_head = (i % H) / (H / KV);
  var total = splat(0.0);
  // @repeat e E
  let q$e = query[i * E + $eu] * SCALE_F;
  let g$e = dout[i * E + $eu];
  var acc$e = splat(0.0);
  total += g$e * attended[i * E + $eu];
  // @end
  let d = inner_product(total, splat(1.0));
  let l = lse[i];
  let prefix = token.prefixEnd - token.prefixStart;
  let seen = prefix + token.ownEnd - token.ownStart;
  for (var j = 0u; j < seen; j++) {
    let row = select(token.ownStart + j - prefix, token.prefixStart + j, j < prefix);
    let key = row * 2u * KV * E + kv_head * E;
    let value = key + KV * E;
    var product = splat(0.0);
    var dp = splat(0.0);
    // @repeat e E
    let k$e = cache[key + $eu];
    product += q$e * k$e;
    dp += g$e * cache[value + $eu];
    // @end
    let weight = exp(inner_product(product, splat(1.0)) - l);
    let ds = weight * (inner_product(dp, splat(1.0)) - d) * SCALE_F;
    // @repeat e E
    acc$e += ds * k$e;
    // @end
  }
  // @repeat e E
  dquery[i * E + $eu] = acc$e;
  // @end
  delta[i] = d;
}
