// out[t, i] = silu(gate) * up, with gate = inp[t, i], up = inp[t, I + i] (Shazeer 2020). Shapes: inp (T, 2 I), out (T, I).
// @include grid
struct Params { T: u32, I: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn swiglu_forward(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.T * p.I) { return; }
  let at = (i / p.I) * 2u * p.I + i % p.I;
  let gate = inp[at];
  out[i] = gate / (1.0 + exp(-gate)) * inp[at + p.I];
}
