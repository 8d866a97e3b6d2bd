// delta[t, h] = sum_d dout * out: what the tiled backward of attention subtracts from each weight's gradient (Dao 2023, algorithm 2).
// Shapes: dout, attended (T, H D), delta (T, H). One thread a head of a token. Constants: H, E = D / 4.
// @include grid
struct Params { T: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec4f>;
@group(0) @binding(2) var<storage, read> attended: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> delta: array<f32>;

@compute @workgroup_size(64)
fn attention_delta(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.T * H) { return; }
  var total = vec4f();
  for (var e = 0u; e < E; e++) { total += dout[i * E + e] * attended[i * E + e]; }
  delta[i] = dot(total, vec4f(1.0));
}
