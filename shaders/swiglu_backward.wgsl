// dgate = dout * up * s * (1 + gate * (1 - s)), dup = dout * gate * s, with s = sigmoid(gate); overwrites gate and up.
// Shapes: dout (T, I), inp (T, 2 I) in, its gradient out; I is a multiple of WIDTH. One thread per WIDTH adjacent
// elements, as in swiglu_forward. Constant: WIDTH.
// @include elem WIDTH
// @include grid
struct Params { T: u32, I: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<ELEM>;
@group(0) @binding(2) var<storage, read_write> inp: array<ELEM>;

@compute @workgroup_size(64)
fn swiglu_backward(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  let I = p.I / WIDTH;
  if (i >= p.T * I) { return; }
  let at = i + (i / I) * I;
  let gate = inp[at];
  let up = inp[at + I];
  let s = 1.0 / (1.0 + exp(-gate));
  inp[at] = dout[i] * up * s * (1.0 + gate * (1.0 - s));
  inp[at + I] = dout[i] * gate * s;
}
