// Runs an objective over the scored rows. The device puts `fn objective(i, logprob, entropy) -> Objective`
// (the `wgsl` of an ObjectiveSpec) before this source.
// Shapes: columns (C, N), the input columns one after another; results (N, 8): logprob and entropy in, loss, weight and
// aux out; seeds (N, 2) = dloss/dlogprob, dloss/dentropy. Up to 14 scalars follow N and resultOffset in the uniform
// block. One thread per row.
// @include grid
struct Params {
  N: u32,
  resultOffset: u32,
  // @repeat k SCALARS
  scalar$k: f32,
  // @end
}
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> columns: array<f32>;
@group(0) @binding(2) var<storage, read_write> results: array<f32>;
@group(0) @binding(3) var<storage, read_write> seeds: array<vec2f>;

fn column(c: u32, i: u32) -> f32 { return columns[c * p.N + i]; }
fn scalar(k: u32) -> f32 {
  switch (k) {
    // @repeat k SCALARS
    case $ku: { return p.scalar$k; }
    // @end
    default: { return 0.0; }
  }
}

@compute @workgroup_size(64)
fn objective_kernel(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.N) { return; }
  let at = (p.resultOffset + i) * 8u;
  let o = objective(i, results[at], results[at + 1u]);
  results[at + 2u] = o.loss;
  results[at + 3u] = o.weight;
  results[at + 4u] = o.aux.x;
  results[at + 5u] = o.aux.y;
  results[at + 6u] = o.aux.z;
  results[at + 7u] = o.aux.w;
  seeds[i] = vec2f(o.weight, o.entropyWeight);
}
