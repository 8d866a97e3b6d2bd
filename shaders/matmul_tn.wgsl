// partials[s, n, k] = sum over the rows t of chunk s of dout[t, n] * inp[t, k]: the gradient of a linear layer's
// weight.
// Shapes: dout (T, N), inp (T, K), partials (chunks, N, K); N and K are multiples of four. Chunk s covers the rows [s
// chunk, (s + 1) chunk). reduce_partials then adds the chunks in order, so the result does not depend on which finished
// first. With ACCUMULATE there is one chunk, and `partials` is the gradient itself.
// One thread computes 4 FOURS rows n of four columns k. Constants: FOURS, LANES, ACCUMULATE.
// @include grid
struct Params { T: u32, N: u32, K: u32, chunk: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec4f>;
@group(0) @binding(2) var<storage, read> inp: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> partials: array<vec4f>;

fn add(i: u32, value: vec4f) {
  if (ACCUMULATE == 1u) { partials[i] += value; } else { partials[i] = value; }
}

@compute @workgroup_size(LANES)
fn matmul_tn(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let N = p.N / 4u;
  let K = p.K / 4u;
  let columns = (K + LANES - 1u) / LANES;
  let rows = (N + FOURS - 1u) / FOURS;
  let tile = linear_workgroup(wg, count);
  let s = tile / (rows * columns);
  let rest = tile % (rows * columns);
  let n = (rest / columns) * FOURS;
  let k = (rest % columns) * LANES + lane;
  let begin = s * p.chunk;
  if (begin >= p.T || k >= K) { return; }
  let end = min(begin + p.chunk, p.T);
  // Rows past N repeat the last four; their sums are computed but not stored.
  // @repeat i FOURS
  let n$i = min(n + $iu, N - 1u);
  var a$i = vec4f();
  var b$i = vec4f();
  var c$i = vec4f();
  var d$i = vec4f();
  // @end
  for (var t = begin; t < end; t++) {
    let x = inp[t * K + k];
    // @repeat i FOURS
    let y$i = dout[t * N + n$i];
    a$i += y$i.x * x;
    b$i += y$i.y * x;
    c$i += y$i.z * x;
    d$i += y$i.w * x;
    // @end
  }
  let base = (s * p.N + n * 4u) * K + k;
  // @repeat i FOURS
  if (n + $iu < N) {
    add(base + 4u * $iu * K, a$i);
    add(base + (4u * $iu + 1u) * K, b$i);
    add(base + (4u * $iu + 2u) * K, c$i);
    add(base + (4u * $iu + 3u) * K, d$i);
  }
  // @end
}
