// partials[s, n, k] = sum over the rows t of chunk s of dout[t, n] * inp[t, k]: the backward of a linear layer to its weight.
// Shapes: dout (T, N), inp (T, K), partials (chunks, N, K); four divides N and K. Chunk s covers rows [s chunk, (s + 1) chunk); a
// second pass (reduce_partials) adds the chunks in order, so that the result does not depend on which finished first.
// One thread computes eight rows n of four columns k. With ACCUMULATE there is one chunk, and
// `partials` is the gradient itself. Constants: LANES, ACCUMULATE.
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
  let rows = (N + 1u) / 2u;
  let tile = linear_workgroup(wg, count);
  let s = tile / (rows * columns);
  let rest = tile % (rows * columns);
  let n = (rest / columns) * 2u;
  let k = (rest % columns) * LANES + lane;
  let begin = s * p.chunk;
  if (begin >= p.T || k >= K) { return; }
  let end = min(begin + p.chunk, p.T);
  let second = min(n + 1u, N - 1u);
  // @repeat i 8
  var acc$i = vec4f();
  // @end
  for (var t = begin; t < end; t++) {
    let x = inp[t * K + k];
    let a = dout[t * N + n];
    let b = dout[t * N + second];
    acc0 += a.x * x;
    acc1 += a.y * x;
    acc2 += a.z * x;
    acc3 += a.w * x;
    acc4 += b.x * x;
    acc5 += b.y * x;
    acc6 += b.z * x;
    acc7 += b.w * x;
  }
  let base = (s * p.N + n * 4u) * K + k;
  // @repeat i 4
  add(base + $iu * K, acc$i);
  // @end
  if (n + 1u < N) {
    add(base + 4u * K, acc4);
    add(base + 5u * K, acc5);
    add(base + 6u * K, acc6);
    add(base + 7u * K, acc7);
  }
}
