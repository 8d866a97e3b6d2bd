// lora_up_backward with its sum over the rows of a part shared by LANES threads, in vectors of four. A workgroup computes
// ROWS tokens of GROUPS vectors of dmid.
// Shapes: dout (T, stride), B (N, rank), dmid (T, width); the rank, the stride, and every part's rows and first column
// are multiples of four. Constants: ROWS (at most LANES), LANES (a power of two), GROUPS. Workgroup memory:
// 16 ROWS LANES GROUPS bytes.
// @registers many ROWS 8
// @include grid
// @include lora
// @include lane_vectors
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec4f>;
@group(0) @binding(2) var<storage, read> B: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> dmid: array<vec4f>;
const THREADS = LANES * GROUPS;
const STRIDE = 1u;
const VECTORS = ROWS;

@compute @workgroup_size(THREADS)
fn lora_up_backward_lanes(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) thread: u32) {
  let Q = p.width / 4u;
  let J = p.rank / 4u;
  let columns = (Q + GROUPS - 1u) / GROUPS;
  let tile = linear_workgroup(wg, count);
  let t0 = (tile / columns) * ROWS;
  if (t0 >= p.T) { return; }
  let q = (tile % columns) * GROUPS + thread / LANES;
  let lane = thread % LANES;
  // Columns past the width repeat the last one, rows past T the last token; their sums are computed but not stored.
  let part = min(q, Q - 1u) / J;
  let j = min(q, Q - 1u) % J;
  let begin = select(select(p.end1, p.end0, part == 1u), 0u, part == 0u);
  let end = select(select(p.N, p.end1, part == 1u), p.end0, part == 0u);
  let shift = (column_of(begin) - begin) / 4u;
  // @repeat i ROWS
  var acc$i = vec4f();
  let row$i = min(t0 + $iu, p.T - 1u) * (p.stride / 4u) + shift;
  // @end
  for (var n = begin / 4u + lane; n < end / 4u; n += LANES) {
    // @repeat c 4
    let b$c = B[(n * 4u + $cu) * J + j];
    // @end
    // @repeat i ROWS
    let d$i = dout[row$i + n];
    // @repeat c 4
    acc$i = fma(vec4f(d$i[$c]), b$c, acc$i);
    // @end
    // @end
  }
  // @repeat i ROWS
  sums[$iu * THREADS + thread] = acc$i;
  // @end
  add_lanes(thread, lane);
  if (lane < ROWS && t0 + lane < p.T && q < Q) {
    dmid[(t0 + lane) * Q + q] = p.scale * sums[lane * THREADS + thread - lane];
  }
}
