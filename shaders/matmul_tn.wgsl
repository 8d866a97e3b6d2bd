// partial[s, n, k] = sum over the rows t of chunk s of dout[t, n] * inp[t, k]: the backward of a linear layer to its weight.
// Shapes: dout (T, N), inp (T, K), partial (chunks, N, K). Chunk s covers rows [s * chunk, (s + 1) * chunk); a second pass
// (reduce_partials) adds the chunks in order, so that the result does not depend on which finished first.
// One thread computes ROWS rows n of WIDTH neighbouring columns k.
// Constants: WIDTH (4, or 1 where 4 does not divide K), ROWS.
// @include elem
// @include grid
struct Params { T: u32, N: u32, K: u32, chunk: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<f32>;
@group(0) @binding(2) var<storage, read> inp: array<ELEM>;
@group(0) @binding(3) var<storage, read_write> partials: array<ELEM>;

@compute @workgroup_size(32)
fn matmul_tn(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let K = p.K / WIDTH;
  let columns = (K + 31u) / 32u;
  let rows = (p.N + ROWS - 1u) / ROWS;
  let tile = linear_workgroup(wg, count);
  let s = tile / (rows * columns);
  let rest = tile % (rows * columns);
  let n0 = (rest / columns) * ROWS;
  let k = (rest % columns) * 32u + lane;
  let begin = s * p.chunk;
  if (begin >= p.T || k >= K) { return; }
  let end = min(begin + p.chunk, p.T);
  var acc: array<ELEM, ROWS>;
  for (var i = 0u; i < ROWS; i++) { acc[i] = splat(0.0); }
  var at: array<u32, ROWS>;
  for (var i = 0u; i < ROWS; i++) { at[i] = min(n0 + i, p.N - 1u); }
  for (var t = begin; t < end; t++) {
    let x = inp[t * K + k];
    for (var i = 0u; i < ROWS; i++) { acc[i] = fma(splat(dout[t * p.N + at[i]]), x, acc[i]); }
  }
  for (var i = 0u; i < ROWS; i++) {
    let n = n0 + i;
    if (n < p.N) { partials[(s * p.N + n) * K + k] = acc[i]; }
  }
}
