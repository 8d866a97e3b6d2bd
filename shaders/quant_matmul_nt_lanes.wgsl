// quant_matmul_nt with LANES threads per column, each of which takes every LANES-th group of 32 values; their sums are
// added at the end. For few rows on real GPUs, where adjacent threads then load adjacent groups. Each packed weight is
// unpacked once for all ROWS rows.
// Shapes: inp (M, K), weight (N, K), bias (N), residual and out (M, N); K is a multiple of four.
// Constants: BITS, MINIMUM, ROWS, LANES (a power of two, at most 64), SUBGROUPS, HAS_BIAS, HAS_RESIDUAL.
// @include grid
// @include quant
// @include lane_sum SUBGROUPS
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<vec4f>;
@group(0) @binding(2) var<storage, read> codes: array<vec4u>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;
@group(0) @binding(5) var<storage, read> residual: array<f32>;
@group(0) @binding(6) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn quant_matmul_nt_lanes(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let each = 64u / LANES;
  let K = p.K / 4u;
  let G = groups_of(p.K);
  let columns = (p.N + each - 1u) / each;
  let tile = linear_workgroup(wg, count);
  let m0 = (tile / columns) * ROWS;
  let n = (tile % columns) * each + lane / LANES;
  let inside = m0 < p.M && n < p.N;
  // @repeat i ROWS
  var acc$i = 0.0;
  let row$i = min(m0 + $iu, p.M - 1u) * K;
  // @end
  // Threads outside the matrix skip the loop but take part in the sum over lanes.
  for (var g = select(G, lane % LANES, inside); g < G; g += LANES) {
    let s = scale_of(n, g, G);
    let q = codes[(n * G + g) * (BITS / 4u)];
    var r = q;
    if (BITS == 8u) { r = codes[(n * G + g) * 2u + 1u]; }
    // @repeat j 4
    var w$j = signed_bytes(q[$j]);
    var v$j = signed_bytes(r[$j]);
    let k$j = min(g * 8u + $ju, K - 1u);
    let l$j = min(g * 8u + 4u + $ju, K - 1u);
    // @end
    if (BITS == 4u) {
      w0 = nibbles(q.x, 0u);
      w1 = nibbles(q.x, 16u);
      w2 = nibbles(q.y, 0u);
      w3 = nibbles(q.y, 16u);
      v0 = nibbles(q.z, 0u);
      v1 = nibbles(q.z, 16u);
      v2 = nibbles(q.w, 0u);
      v3 = nibbles(q.w, 16u);
    }
    // With a minimum, the codes become values here, once for all rows: a sum of the inputs of each row would cost more.
    // Values past K are zero.
    if (MINIMUM == 1u) {
      // @repeat j 4
      w$j = select(vec4f(), values_of(w$j, s), g * 8u + $ju < K);
      v$j = select(vec4f(), values_of(v$j, s), g * 8u + 4u + $ju < K);
      // @end
    }
    // @repeat i ROWS
    var sum$i = dot(inp[row$i + k0], w0) + dot(inp[row$i + k1], w1) + dot(inp[row$i + k2], w2) + dot(inp[row$i + k3], w3);
    sum$i += dot(inp[row$i + l0], v0) + dot(inp[row$i + l1], v1) + dot(inp[row$i + l2], v2) + dot(inp[row$i + l3], v3);
    if (MINIMUM == 1u) { acc$i += sum$i; } else { acc$i += s.x * sum$i; }
    // @end
  }
  // @repeat i ROWS
  let lanes$i = lane_sum_begin($iu, acc$i, lane);
  // @end
  lane_sum_settle();
  if (!inside || lane % LANES != 0u) { return; }
  var extra = 0.0;
  if (HAS_BIAS == 1u) { extra = bias[n]; }
  // @repeat i ROWS
  if (m0 + $iu < p.M) {
    var value = lane_sum_end($iu, lanes$i, lane) + extra;
    if (HAS_RESIDUAL == 1u) { value += residual[(m0 + $iu) * p.N + n]; }
    out[(m0 + $iu) * p.N + n] = value;
  }
  // @end
}
