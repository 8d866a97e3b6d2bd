// out[t, column(n)] += scale * sum_j mid[t, part(n) rank + j] * B[n, j]: the second product of a low-rank adapter (Hu
// et al. 2021, https://arxiv.org/abs/2106.09685), added to the output of the frozen matrix.
// Shapes: mid (T, width), B (N, rank), out (T, stride). One thread per row of B and ROWS tokens. Constant: ROWS.
// @include grid
// @include lora
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> mid: array<f32>;
@group(0) @binding(2) var<storage, read> B: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn lora_up(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  let n = i % p.N;
  let t0 = (i / p.N) * ROWS;
  if (t0 >= p.T) { return; }
  let first = part_of(n) * p.rank;
  // Rows past T repeat the last token; their sums are computed but not stored.
  // @repeat i ROWS
  var sum$i = 0.0;
  let row$i = min(t0 + $iu, p.T - 1u) * p.width + first;
  // @end
  for (var j = 0u; j < p.rank; j++) {
    let b = B[n * p.rank + j];
    // @repeat i ROWS
    sum$i += mid[row$i + j] * b;
    // @end
  }
  let column = column_of(n);
  // @repeat i ROWS
  if (t0 + $iu < p.T) { out[(t0 + $iu) * p.stride + column] += p.scale * sum$i; }
  // @end
}
