// lora_up in vectors of four: one thread per four rows of B and ROWS tokens, so that the rows of B are loaded once for
// the tokens, and the output in vectors.
// Shapes: mid (T, width), B (N, rank), out (T, stride); the rank, the stride, and every part's rows and first column are
// multiples of four. Constant: ROWS.
// @include grid
// @include lora
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> mid: array<vec4f>;
@group(0) @binding(2) var<storage, read> B: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(64)
fn lora_up_fours(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  let n = i % (p.N / 4u) * 4u;
  let t0 = i / (p.N / 4u) * ROWS;
  if (t0 >= p.T) { return; }
  let J = p.rank / 4u;
  let first = part_of(n) * J;
  // Rows past T repeat the last token; their sums are computed but not stored.
  // @repeat i ROWS
  var sum$i = vec4f();
  let row$i = min(t0 + $iu, p.T - 1u) * (p.width / 4u) + first;
  // @end
  for (var j = 0u; j < J; j++) {
    // @repeat c 4
    let b$c = B[(n + $cu) * J + j];
    // @end
    // @repeat i ROWS
    let x$i = mid[row$i + j];
    sum$i += vec4f(dot(x$i, b0), dot(x$i, b1), dot(x$i, b2), dot(x$i, b3));
    // @end
  }
  let column = column_of(n) / 4u;
  // @repeat i ROWS
  if (t0 + $iu < p.T) { out[(t0 + $iu) * (p.stride / 4u) + column] += p.scale * sum$i; }
  // @end
}
