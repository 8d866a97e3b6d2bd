// matmul_nn through workgroup memory: for large sizes on real GPUs. One workgroup computes 64 x 64 values of dinp, 16
// values of n at a time. A thread computes the rows m = y, y + 16, ... of four adjacent columns. Elements outside the
// matrices are zero.
// Shapes: dout (M, N), weight (N, K), dinp (M, K); N and K are multiples of four. Constant: ACCUMULATE.
// @include grid
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec4f>;
@group(0) @binding(2) var<storage, read> weight: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> dinp: array<vec4f>;
var<workgroup> rows: array<vec4f, 256>;
var<workgroup> columns: array<vec4f, 256>;

@compute @workgroup_size(256)
fn matmul_nn_tiled(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let N = p.N / 4u;
  let K = p.K / 4u;
  let across = (K + 15u) / 16u;
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / across) * 64u;
  let k = (tile % across) * 16u + lane % 16u;
  if (m0 >= p.M) { return; }
  let x = lane % 16u;
  let y = lane / 16u;
  // @repeat i 4
  var acc$i = vec4f();
  // @end
  for (var n0 = 0u; n0 < N; n0 += 4u) {
    let n = n0 + lane % 4u;
    let m = m0 + lane / 4u;
    let row = n0 * 4u + y;
    var a = vec4f();
    var b = vec4f();
    if (n < N && m < p.M) { a = dout[m * N + n]; }
    if (row < p.N && k < K) { b = weight[row * K + k]; }
    workgroupBarrier();
    rows[(lane % 4u) * 64u + lane / 4u] = a;
    columns[lane] = b;
    workgroupBarrier();
    for (var nn = 0u; nn < 4u; nn++) {
      // @repeat j 4
      let w$j = columns[(nn * 4u + $ju) * 16u + x];
      // @end
      // @repeat i 4
      let g$i = rows[nn * 64u + y + $iu * 16u];
      acc$i += g$i.x * w0 + g$i.y * w1 + g$i.z * w2 + g$i.w * w3;
      // @end
    }
  }
  if (k >= K) { return; }
  // @repeat i 4
  let to$i = m0 + y + $iu * 16u;
  if (to$i < p.M) {
    if (ACCUMULATE == 1u) { acc$i += dinp[to$i * K + k]; }
    dinp[to$i * K + k] = acc$i;
  }
  // @end
}
