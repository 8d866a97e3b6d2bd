// dmid[t, q] = scale * sum over the rows n of part q / rank of dout[t, column(n)] * B[n, q % rank]: the gradient of
// lora_up's input.
// Shapes: dout (T, stride), B (N, rank), dmid (T, width). One thread per column of dmid and ROWS tokens. Constant:
// ROWS.
// @include grid
// @include lora
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<f32>;
@group(0) @binding(2) var<storage, read> B: array<f32>;
@group(0) @binding(3) var<storage, read_write> dmid: array<f32>;

@compute @workgroup_size(64)
fn lora_up_backward(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  let q = i % p.width;
  let t0 = (i / p.width) * ROWS;
  if (t0 >= p.T) { return; }
  let part = q / p.rank;
  let j = q % p.rank;
  let begin = select(select(p.end1, p.end0, part == 1u), 0u, part == 0u);
  let end = select(select(p.N, p.end1, part == 1u), p.end0, part == 0u);
  // @repeat i ROWS
  var sum$i = 0.0;
  let row$i = min(t0 + $iu, p.T - 1u) * p.stride;
  // @end
  for (var n = begin; n < end; n++) {
    let b = B[n * p.rank + j];
    let column = column_of(n);
    // @repeat i ROWS
    sum$i += dout[row$i + column] * b;
    // @end
  }
  // @repeat i ROWS
  if (t0 + $iu < p.T) { dmid[(t0 + $iu) * p.width + q] = p.scale * sum$i; }
  // @end
}
