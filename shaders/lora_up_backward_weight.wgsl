// partials[s, n, j] = scale * sum over the tokens t of chunk s of dout[t, column(n)] * mid[t, part(n) rank + j]: the
// gradient of B. reduce_partials adds the chunks in order.
// Shapes: dout (T, stride), mid (T, width), partials (chunks, N, rank). One thread per element.
// @include grid
// @include lora
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<f32>;
@group(0) @binding(2) var<storage, read> mid: array<f32>;
@group(0) @binding(3) var<storage, read_write> partials: array<f32>;

@compute @workgroup_size(64)
fn lora_up_backward_weight(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  let size = p.N * p.rank;
  let begin = (i / size) * p.chunk;
  if (begin >= p.T) { return; }
  let end = min(begin + p.chunk, p.T);
  let n = (i % size) / p.rank;
  let column = column_of(n);
  let q = part_of(n) * p.rank + i % p.rank;
  var sum = 0.0;
  for (var t = begin; t < end; t++) { sum += dout[t * p.stride + column] * mid[t * p.width + q]; }
  partials[i] = p.scale * sum;
}
