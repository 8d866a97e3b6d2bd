// dinp[t, c] = rstd[t] * (g[c] - xhat[c] * mean_c(g * xhat)) (+ dresidual[t, c]) with xhat = inp * rstd, g = dout *
// gain.
// Shapes: inp, dout, dresidual, dinp (T, C), gain (C), rstd (T). dinp must not share a buffer with any input.
// Constants: LANES, HAS_RESIDUAL.
// @include grid
struct Params { T: u32, C: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<f32>;
@group(0) @binding(2) var<storage, read> gain: array<f32>;
@group(0) @binding(3) var<storage, read> rstd: array<f32>;
@group(0) @binding(4) var<storage, read> dout: array<f32>;
@group(0) @binding(5) var<storage, read> dresidual: array<f32>;
@group(0) @binding(6) var<storage, read_write> dinp: array<f32>;
var<workgroup> partials: array<f32, 64>;

@compute @workgroup_size(64)
fn rmsnorm_backward(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let t = linear_workgroup(wg, count) * (64u / LANES) + lane / LANES;
  let first = lane % LANES;
  var sum = 0.0;
  var r = 0.0;
  if (t < p.T) {
    r = rstd[t];
    for (var c = first; c < p.C; c += LANES) { sum += dout[t * p.C + c] * gain[c] * inp[t * p.C + c] * r; }
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
  let mean = sum / f32(p.C);
  for (var c = first; c < p.C; c += LANES) {
    let i = t * p.C + c;
    var d = r * (dout[i] * gain[c] - inp[i] * r * mean);
    if (HAS_RESIDUAL == 1u) { d += dresidual[i]; }
    dinp[i] = d;
  }
}
