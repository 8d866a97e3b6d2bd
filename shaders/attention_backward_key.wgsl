// dk = sum of p (dp - delta) q / sqrt(D) and dv = sum of p dout, over the queries that may see the key and the query
// heads that share it. The queries of key j are the tokens [j, queryEnd); the tokens of a shared prompt are seen by all
// its continuations, which follow it.
// Shapes: as attention_backward_query; dcache (T, 2 KV D) = dk | dv.
// One thread per key head of a token, so the sum needs no atomics and has a fixed order.
// Constants: H, KV, D, WIDTH, E = D / WIDTH, SCALE_F.
// @include elem WIDTH
// @include grid
// @include token
struct Params { T: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tokens: array<Token>;
@group(0) @binding(2) var<storage, read> query: array<ELEM>;
@group(0) @binding(3) var<storage, read> cache: array<ELEM>;
@group(0) @binding(4) var<storage, read> lse: array<f32>;
@group(0) @binding(5) var<storage, read> dout: array<ELEM>;
@group(0) @binding(6) var<storage, read> delta: array<f32>;
@group(0) @binding(7) var<storage, read_write> dcache: array<ELEM>;

@compute @workgroup_size(64)
fn attention_backward_key(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.T * KV) { return; }
  let j = i / KV;
  let kv_head = i % KV;
  let key = j * 2u * KV * E + kv_head * E;
  let value = key + KV * E;
  // @repeat e E
  let k$e = cache[key + $eu] * SCALE_F;
  let v$e = cache[value + $eu];
  var dk$e = splat(0.0);
  var dv$e = splat(0.0);
  // @end
  let end = tokens[j].queryEnd;
  for (var t = j; t < end; t++) {
    for (var h = 0u; h < H / KV; h++) {
      let at = t * H + kv_head * (H / KV) + h;
      var product = splat(0.0);
      var dp = splat(0.0);
      // @repeat e E
      let q$e = query[at * E + $eu];
      let g$e = dout[at * E + $eu];
      product += q$e * k$e;
      dp += g$e * v$e;
      // @end
      let weight = exp(inner_product(product, splat(1.0)) - lse[at]);
      let ds = weight * (inner_product(dp, splat(1.0)) - delta[at]) * SCALE_F;
      // @repeat e E
      dv$e += weight * g$e;
      dk$e += ds * q$e;
      // @end
    }
  }
  // @repeat e E
  dcache[key + $eu] = dk$e;
  dcache[value + $eu] = dv$e;
  // @end
}
