// out[d] += sum over chunks and query heads, and out[D + d] += sum over chunks and key heads, of partials[s, head, d]:
// the gradients of the query and key norms, which all heads share.
// Shapes: partials (chunks, H + KV, D), out (2 D). One thread per element of out. Constants: H, KV, D.
struct Params { chunks: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> partials: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn reduce_head_gains(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= 2u * D) { return; }
  let is_query = id.x < D;
  let first = select(H, 0u, is_query);
  let last = select(H + KV, H, is_query);
  var sum = 0.0;
  for (var s = 0u; s < p.chunks; s++) {
    for (var head = first; head < last; head++) { sum += partials[(s * (H + KV) + head) * D + id.x % D]; }
  }
  out[id.x] += sum;
}
