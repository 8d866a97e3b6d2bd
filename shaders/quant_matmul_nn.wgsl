// dinp[m, k] = sum_n dout[m, n] * weight[n, k] (+ dinp[m, k]) with packed weights (quant.wgsl): the gradient of a
// frozen linear layer's input, from the same codes as the forward. Like matmul_nn it works in registers: one thread
// computes ROWS rows of eight columns, and unpacks each of their weights once for all ROWS.
// Shapes: dout (M, N), weight (N, K), dinp (M, K); N and K are multiples of four. Constants: BITS, MINIMUM,
// ROWS, LANES, ACCUMULATE.
// @include grid
// @include quant
// @include quant_words
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec4f>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read_write> dinp: array<vec4f>;

@compute @workgroup_size(LANES)
fn quant_matmul_nn(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let N = p.N / 4u;
  let K = p.K / 4u;
  let G = groups_of(p.K);
  let columns = ((K + 1u) / 2u + LANES - 1u) / LANES;
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / columns) * ROWS;
  let k = ((tile % columns) * LANES + lane) * 2u;
  if (m0 >= p.M || k >= K) { return; }
  let g = k / 8u;
  // @repeat i ROWS
  var low$i = vec4f();
  var high$i = vec4f();
  let row$i = min(m0 + $iu, p.M - 1u) * N;
  // @end
  for (var n = 0u; n < N; n++) {
    // @repeat c 4
    let s$c = scale_of(n * 4u + $cu, g, G);
    let a$c = values_of(codes_low(n * 4u + $cu, k, G), s$c);
    let b$c = values_of(codes_high(n * 4u + $cu, k, G), s$c);
    // @end
    // @repeat i ROWS
    let d$i = dout[row$i + n];
    low$i += d$i.x * a0 + d$i.y * a1 + d$i.z * a2 + d$i.w * a3;
    high$i += d$i.x * b0 + d$i.y * b1 + d$i.z * b2 + d$i.w * b3;
    // @end
  }
  // @repeat i ROWS
  if (m0 + $iu < p.M) {
    let to$i = (m0 + $iu) * K + k;
    if (ACCUMULATE == 1u) { low$i += dinp[to$i]; }
    dinp[to$i] = low$i;
    if (k + 1u < K) {
      if (ACCUMULATE == 1u) { high$i += dinp[to$i + 1u]; }
      dinp[to$i + 1u] = high$i;
    }
  }
  // @end
}
