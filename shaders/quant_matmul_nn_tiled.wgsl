// quant_matmul_nn through workgroup memory: for large sizes on real GPUs. One workgroup computes 64 rows of the 32
// columns of one group, 16 values of n at a time; it reads along n the tile of codes that the forward reads along k. A
// thread computes the rows m = y, y + 16, ... of four adjacent columns. The tile holds unscaled codes, which are exact
// in f16 too. Elements outside the matrices are zero.
// Shapes: dout (M, N), weight (N, K), dinp (M, K); N and K are multiples of four.
// Constants: BITS, MINIMUM, STAGE_BITS (32 or 16: the tile of codes as f32 or f16), ACCUMULATE.
// @include grid
// @include quant
// @include quant_words
// @include stage STAGE_BITS
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec4f>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read_write> dinp: array<vec4f>;
var<workgroup> rows: array<vec4f, 256>;
var<workgroup> columns: array<STAGE, 128>;
var<workgroup> factors: array<vec2f, 16>;

@compute @workgroup_size(128)
fn quant_matmul_nn_tiled(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let N = p.N / 4u;
  let K = p.K / 4u;
  let G = groups_of(p.K);
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / G) * 64u;
  let g = tile % G;
  if (m0 >= p.M) { return; }
  let x = lane % 8u;
  let y = lane / 8u;
  let k = g * 8u + x;
  // @repeat i 4
  var acc$i = vec4f();
  // @end
  for (var n0 = 0u; n0 < N; n0 += 4u) {
    workgroupBarrier();
    for (var i = lane; i < 256u; i += 128u) {
      let m = m0 + i / 4u;
      let n = n0 + i % 4u;
      var value = vec4f();
      if (n < N && m < p.M) { value = dout[m * N + n]; }
      rows[(i % 4u) * 64u + i / 4u] = value;
    }
    let n = n0 * 4u + y;
    var value = vec4f();
    if (n < p.N && k < K) { value = codes4(n, k, G); }
    columns[lane] = STAGE(value);
    if (lane < 16u) {
      let row = n0 * 4u + lane;
      var factor = vec2f();
      if (row < p.N) { factor = scale_of(row, g, G); }
      factors[lane] = factor;
    }
    workgroupBarrier();
    for (var nn = 0u; nn < 4u; nn++) {
      // @repeat j 4
      let w$j = values_of(vec4f(columns[(nn * 4u + $ju) * 8u + x]), factors[nn * 4u + $ju]);
      // @end
      // @repeat i 4
      let d$i = rows[nn * 64u + y + $iu * 16u];
      acc$i += d$i.x * w0 + d$i.y * w1 + d$i.z * w2 + d$i.w * w3;
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
