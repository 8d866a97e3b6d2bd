// delta[t, h] = sum_d dout * out, which the tiled backward of attention subtracts from dp (Dao 2023, algorithm 2).
// Shapes: dout, attended (T, H D), delta (T, H), E = D / 4. One thread per head of a token. Constant: H.
// E is a scalar: as a constant it makes lavapipe unroll the loop and compile for ten seconds at D = 128.
// @include grid
struct Params { T: u32, E: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec4f>;
@group(0) @binding(2) var<storage, read> attended: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> delta: array<f32>;

@compute @workgroup_size(64)
fn attention_delta(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.T * H) { return; }
  var total = vec4f();
  for (var e = 0u; e < p.E; e++) { total += dout[i * p.E + e] * attended[i * p.E + e]; }
  delta[i] = dot(total, vec4f(1.0));
}
