// out[i] += sum_s partials[s, i], in the order of s. Shapes: partials (chunks, size), out (size). One thread per
// element.
// @include grid
struct Params { size: u32, chunks: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> partials: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn reduce_partials(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.size) { return; }
  var sum = 0.0;
  for (var s = 0u; s < p.chunks; s++) { sum += partials[s * p.size + i]; }
  out[i] += sum;
}
