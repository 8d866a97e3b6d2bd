// partials[offset + g] = sum of squares of chunk g of inp, for the global gradient norm. Shapes: inp (size), chunks of
// 4096.
struct Params { size: u32, offset: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<f32>;
@group(0) @binding(2) var<storage, read_write> partials: array<f32>;
var<workgroup> sums: array<f32, 64>;
// @include grid

@compute @workgroup_size(64)
fn square_sum(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let g = linear_workgroup(wg, count);
  let begin = g * 4096u;
  let end = min(begin + 4096u, p.size);
  var sum = 0.0;
  for (var i = begin + lane; i < end; i += 64u) { sum = fma(inp[i], inp[i], sum); }
  sums[lane] = sum;
  for (var half = 32u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) { sums[lane] += sums[lane + half]; }
  }
  if (lane == 0u && begin < p.size) { partials[p.offset + g] = sums[0]; }
}
