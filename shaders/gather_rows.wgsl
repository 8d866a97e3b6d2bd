// out[target(i), c] = inp[source(i), c] for the pairs (source, target) of `pairs`.
// Shapes: pairs (N, 2), inp (?, C), out (?, C). One thread per element.
// @include grid
struct Params { N: u32, C: u32, pairOffset: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> pairs: array<u32>;
@group(0) @binding(2) var<storage, read> inp: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn gather_rows(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.N * p.C) { return; }
  let pair = p.pairOffset + (i / p.C) * 2u;
  out[pairs[pair + 1u] * p.C + i % p.C] = inp[pairs[pair] * p.C + i % p.C];
}
