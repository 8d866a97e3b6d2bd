// partials[s, c] = sum over the rows t of chunk s of dout[t, c] * inp[t, c] * rstd[t]; reduce_partials adds the chunks.
// Shapes: inp, dout (T, C), rstd (T), partials (chunks, C). One thread per column of a chunk.
// @include grid
struct Params { T: u32, C: u32, chunk: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<f32>;
@group(0) @binding(2) var<storage, read> rstd: array<f32>;
@group(0) @binding(3) var<storage, read> dout: array<f32>;
@group(0) @binding(4) var<storage, read_write> partials: array<f32>;

@compute @workgroup_size(64)
fn rmsnorm_backward_weight(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let columns = (p.C + 63u) / 64u;
  let tile = linear_workgroup(wg, count);
  let c = (tile % columns) * 64u + lane;
  let s = tile / columns;
  let begin = s * p.chunk;
  if (c >= p.C || begin >= p.T) { return; }
  let end = min(begin + p.chunk, p.T);
  var sum = 0.0;
  for (var t = begin; t < end; t++) { sum += dout[t * p.C + c] * inp[t * p.C + c] * rstd[t]; }
  partials[s * p.C + c] = sum;
}
