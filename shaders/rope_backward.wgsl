// Backward of rope_forward: the gradient of the fused projection. It rotates the gradients of queries and keys back,
// passes them through the backward of the heads' RMSNorm if there is one, and copies the gradients of the values.
// Shapes: as rope_forward; inp is the projection before the norm, dquery (T, H D), dcache (T, 2 KV D), dinp (T, (H + 2
// KV) D), dgain (T, (H + KV) D) = gradient times xhat, whose sum over tokens and heads is the gradient of the gains
// (QK_NORM only).
// Constants: H, KV, D, QK_NORM, EPS_F.
// @include grid
// @include token
struct Params { T: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tokens: array<Token>;
@group(0) @binding(2) var<storage, read> inp: array<f32>;
@group(0) @binding(3) var<storage, read> tables: array<f32>;
@group(0) @binding(4) var<storage, read> gains: array<f32>;
@group(0) @binding(5) var<storage, read> dquery: array<f32>;
@group(0) @binding(6) var<storage, read> dcache: array<f32>;
@group(0) @binding(7) var<storage, read_write> dinp: array<f32>;
@group(0) @binding(8) var<storage, read_write> dgain: array<f32>;

@compute @workgroup_size(64)
fn rope_backward(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  const heads = H + 2u * KV;
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.T * heads) { return; }
  let t = i / heads;
  let head = i % heads;
  let to = i * D;
  if (head >= H + KV) {
    let source = (t * 2u + 1u) * KV * D + (head - H - KV) * D;
    for (var d = 0u; d < D; d++) { dinp[to + d] = dcache[source + d]; }
    return;
  }
  let is_query = head < H;
  let source = select(t * 2u * KV * D + (head - H) * D, t * H * D + head * D, is_query);
  let angle = tokens[t].position * D;
  let gain = select(D, 0u, is_query);
  let product = t * (H + KV) * D + head * D;
  var r = 1.0;
  if (QK_NORM == 1u) {
    var sum = 0.0;
    for (var d = 0u; d < D; d++) { sum += inp[to + d] * inp[to + d]; }
    r = inverseSqrt(sum / f32(D) + EPS_F);
  }
  var dot_product = 0.0;
  for (var d = 0u; d < D / 2u; d++) {
    var x: f32;
    var y: f32;
    if (is_query) { x = dquery[source + d]; y = dquery[source + d + D / 2u]; } else { x = dcache[source + d]; y = dcache[source + d + D / 2u]; }
    let c = tables[angle + d];
    let s = tables[angle + D / 2u + d];
    var a = x * c + y * s;
    var b = y * c - x * s;
    if (QK_NORM == 1u) {
      let xa = inp[to + d] * r;
      let xb = inp[to + d + D / 2u] * r;
      dgain[product + d] = a * xa;
      dgain[product + d + D / 2u] = b * xb;
      a *= gains[gain + d];
      b *= gains[gain + d + D / 2u];
      dot_product += a * xa + b * xb;
    }
    dinp[to + d] = a;
    dinp[to + d + D / 2u] = b;
  }
  if (QK_NORM == 1u) {
    let mean = dot_product / f32(D);
    for (var d = 0u; d < D; d++) { dinp[to + d] = r * (dinp[to + d] - inp[to + d] * r * mean); }
  }
}
