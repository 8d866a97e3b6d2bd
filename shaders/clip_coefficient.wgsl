// norm[0] = sqrt(sum of partials), norm[1] = min(1, maxNorm / (norm[0] + 1e-6)), as PyTorch's clip_grad_norm_. One
// workgroup.
struct Params { count: u32, maxNorm: f32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> partials: array<f32>;
@group(0) @binding(2) var<storage, read_write> norm: array<f32>;
var<workgroup> sums: array<f32, 64>;

@compute @workgroup_size(64)
fn clip_coefficient(@builtin(local_invocation_index) lane: u32) {
  var sum = 0.0;
  for (var i = lane; i < p.count; i += 64u) { sum += partials[i]; }
  sums[lane] = sum;
  for (var half = 32u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) { sums[lane] += sums[lane + half]; }
  }
  if (lane == 0u) {
    let total = sqrt(sums[0]);
    norm[0] = total;
    norm[1] = min(1.0, p.maxNorm / (total + 1e-6));
  }
}
