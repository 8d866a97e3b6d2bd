// dmid[i] = scale * sum_s sums[s, i], in the order of s: the sums of lora_up_backward_both over a part's rows.
// Shapes: sums (blocks, size), dmid (size). One thread per element.
// @include grid
struct Params { size: u32, blocks: u32, scale: f32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> sums: array<f32>;
@group(0) @binding(2) var<storage, read_write> dmid: array<f32>;

@compute @workgroup_size(64)
fn lora_sum_blocks(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.size) { return; }
  var sum = 0.0;
  for (var s = 0u; s < p.blocks; s++) { sum += sums[s * p.size + i]; }
  dmid[i] = p.scale * sum;
}
