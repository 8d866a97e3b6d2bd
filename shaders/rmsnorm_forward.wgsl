// out[t, c] = inp[t, c] * rstd[t] * gain[c] with rstd[t] = 1 / sqrt(mean_c inp[t, c]^2 + eps) (Zhang & Sennrich 2019).
// Shapes: inp and out (T, C), gain (C), rstd (T). LANES threads share a row; LANES = 1 needs no barrier and suits a
// small C.
// Constants: LANES (a power of two up to 64), EPS_F.
// @include grid
struct Params { T: u32, C: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<f32>;
@group(0) @binding(2) var<storage, read> gain: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<storage, read_write> rstd: array<f32>;
var<workgroup> partials: array<f32, 64>;

@compute @workgroup_size(64)
fn rmsnorm_forward(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let t = linear_workgroup(wg, count) * (64u / LANES) + lane / LANES;
  let first = lane % LANES;
  var sum = 0.0;
  if (t < p.T) {
    for (var c = first; c < p.C; c += LANES) { let x = inp[t * p.C + c]; sum += x * x; }
  }
  if (LANES > 1u) {
    partials[lane] = sum;
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
      workgroupBarrier();
      if (first < half) { partials[lane] += partials[lane + half]; }
    }
    workgroupBarrier();
    sum = partials[lane - first];
  }
  if (t >= p.T) { return; }
  let r = inverseSqrt(sum / f32(p.C) + EPS_F);
  for (var c = first; c < p.C; c += LANES) { out[t * p.C + c] = inp[t * p.C + c] * r * gain[c]; }
  if (first == 0u) { rstd[t] = r; }
}
