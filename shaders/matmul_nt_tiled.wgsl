// matmul_nt through workgroup memory: for large sizes on real GPUs. One workgroup computes 64 x 64 outputs, 16 values
// of k at a time. A thread computes the rows m = y, y + 16, ... and the columns n = x, x + 16, ...: 8 loads of 16 bytes
// from workgroup memory serve 64 multiply-adds. Elements outside the matrices are zero.
// Shapes: inp (M, K), weight (N, K), bias (N), residual and out (M, N); N and K are multiples of four.
// Constants: HAS_BIAS, HAS_RESIDUAL.
// @include grid
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<vec4f>;
@group(0) @binding(2) var<storage, read> weight: array<vec4f>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read> residual: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;
var<workgroup> rows: array<vec4f, 256>;
var<workgroup> columns: array<vec4f, 256>;

fn store(m: u32, n: u32, sum: f32) {
  if (m >= p.M || n >= p.N) { return; }
  var value = sum;
  if (HAS_BIAS == 1u) { value += bias[n]; }
  if (HAS_RESIDUAL == 1u) { value += residual[m * p.N + n]; }
  out[m * p.N + n] = value;
}

@compute @workgroup_size(256)
fn matmul_nt_tiled(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let K = p.K / 4u;
  let across = (p.N + 63u) / 64u;
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / across) * 64u;
  let n0 = (tile % across) * 64u;
  if (m0 >= p.M) { return; }
  let x = lane % 16u;
  let y = lane / 16u;
  // @repeat i 4
  var acc$i = vec4f();
  // @end
  for (var k0 = 0u; k0 < K; k0 += 4u) {
    let k = k0 + lane % 4u;
    let m = m0 + lane / 4u;
    let n = n0 + lane / 4u;
    var a = vec4f();
    var b = vec4f();
    if (k < K && m < p.M) { a = inp[m * K + k]; }
    if (k < K && n < p.N) { b = weight[n * K + k]; }
    workgroupBarrier();
    rows[(lane % 4u) * 64u + lane / 4u] = a;
    columns[(lane % 4u) * 64u + lane / 4u] = b;
    workgroupBarrier();
    for (var kk = 0u; kk < 4u; kk++) {
      let r = kk * 64u + y;
      let c = kk * 64u + x;
      // @repeat j 4
      let w$j = columns[c + $ju * 16u];
      // @end
      // @repeat i 4
      let x$i = rows[r + $iu * 16u];
      acc$i += vec4f(dot(x$i, w0), dot(x$i, w1), dot(x$i, w2), dot(x$i, w3));
      // @end
    }
  }
  // @repeat i 4
  store(m0 + y + $iu * 16u, n0 + x, acc$i.x);
  store(m0 + y + $iu * 16u, n0 + x + 16u, acc$i.y);
  store(m0 + y + $iu * 16u, n0 + x + 32u, acc$i.z);
  store(m0 + y + $iu * 16u, n0 + x + 48u, acc$i.w);
  // @end
}
