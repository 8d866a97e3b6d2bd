// out[t, i] = silu(gate) * up, with gate = inp[t, i], up = inp[t, I + i] (Shazeer 2020).
// Shapes: inp (T, 2 I), out (T, I); I is a multiple of WIDTH. One thread per WIDTH adjacent elements: software adapters
// divide indices one lane at a time, so fewer threads are faster. Constant: WIDTH.
// @include elem WIDTH
// @include grid
struct Params { T: u32, I: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<ELEM>;
@group(0) @binding(2) var<storage, read_write> out: array<ELEM>;

@compute @workgroup_size(64)
fn swiglu_forward(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  let I = p.I / WIDTH;
  if (i >= p.T * I) { return; }
  let at = i + (i / I) * I;
  let gate = inp[at];
  out[i] = gate / (1.0 + exp(-gate)) * inp[at + I];
}
