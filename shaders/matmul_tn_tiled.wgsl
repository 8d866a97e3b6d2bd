// matmul_tn through workgroup memory: for large sizes on real GPUs. One workgroup computes 64 x 64 values of a chunk's
// partial sum, 16 tokens at a time. A thread computes four adjacent rows n of four adjacent columns k. Elements outside
// the matrices are zero.
// Shapes: dout (T, N), inp (T, K), partials (chunks, N, K); N and K are multiples of four. Constant: ACCUMULATE, as in
// matmul_tn.
// @include grid
struct Params { T: u32, N: u32, K: u32, chunk: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec4f>;
@group(0) @binding(2) var<storage, read> inp: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> partials: array<vec4f>;
var<workgroup> rows: array<vec4f, 256>;
var<workgroup> columns: array<vec4f, 256>;

fn add(i: u32, value: vec4f) {
  if (ACCUMULATE == 1u) { partials[i] += value; } else { partials[i] = value; }
}

@compute @workgroup_size(256)
fn matmul_tn_tiled(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let N = p.N / 4u;
  let K = p.K / 4u;
  let across = (K + 15u) / 16u;
  let down = (N + 15u) / 16u;
  let tile = linear_workgroup(wg, count);
  let s = tile / (across * down);
  let rest = tile % (across * down);
  let x = lane % 16u;
  let y = lane / 16u;
  let n0 = (rest / across) * 16u;
  let k = (rest % across) * 16u + x;
  let begin = s * p.chunk;
  if (begin >= p.T) { return; }
  let end = min(begin + p.chunk, p.T);
  // @repeat i 4
  var acc$i = vec4f();
  // @end
  for (var t0 = begin; t0 < end; t0 += 16u) {
    let t = t0 + y;
    var a = vec4f();
    var b = vec4f();
    if (t < end && n0 + x < N) { a = dout[t * N + n0 + x]; }
    if (t < end && k < K) { b = inp[t * K + k]; }
    workgroupBarrier();
    rows[lane] = a;
    columns[lane] = b;
    workgroupBarrier();
    for (var i = 0u; i < 16u; i++) {
      let g = rows[i * 16u + y];
      let v = columns[i * 16u + x];
      acc0 += g.x * v;
      acc1 += g.y * v;
      acc2 += g.z * v;
      acc3 += g.w * v;
    }
  }
  if (n0 + y >= N || k >= K) { return; }
  let base = (s * p.N + (n0 + y) * 4u) * K + k;
  // @repeat i 4
  add(base + $iu * K, acc$i);
  // @end
}
