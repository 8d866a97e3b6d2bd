// lora_up_backward_weight with its sum over tokens shared by LANES threads, in vectors of four. A thread computes four
// rows of B by FOURS vectors of the rank, a workgroup ACROSS such blocks side by side, which read adjacent vectors of
// dout.
// Shapes: dout (T, stride), mid (T, width), partials (chunks, N, rank); the rank, the stride, and every part's rows and
// first column are multiples of four. Constants: FOURS, LANES (a power of two, at least 4 FOURS), ACROSS. Workgroup
// memory: 64 FOURS LANES ACROSS bytes.
// @include grid
// @include lora
// @include lane_vectors
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec4f>;
@group(0) @binding(2) var<storage, read> mid: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> partials: array<vec4f>;
const THREADS = LANES * ACROSS;
const STRIDE = ACROSS;
const VECTORS = 4u * FOURS;

@compute @workgroup_size(THREADS)
fn lora_up_backward_weight_lanes(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) thread: u32) {
  let J = p.rank / 4u;
  let columns = (p.N / 4u + ACROSS - 1u) / ACROSS;
  let blocks = (J + FOURS - 1u) / FOURS;
  let tile = linear_workgroup(wg, count);
  let s = tile / (columns * blocks);
  let start = s * p.chunk;
  if (start >= p.T) { return; }
  let lane = thread / ACROSS;
  let block = tile / columns % blocks * FOURS;
  let n = ((tile % columns) * ACROSS + thread % ACROSS) * 4u;
  // Rows past N and vectors past the rank repeat the last one; their sums are computed but not stored.
  let own = min(n, p.N - 4u);
  let column = column_of(own) / 4u;
  // @repeat f FOURS
  let q$f = part_of(own) * J + min(block + $fu, J - 1u);
  // @repeat c 4
  var acc$c_$f = vec4f();
  // @end
  // @end
  for (var t = start + lane; t < min(start + p.chunk, p.T); t += LANES) {
    let d = dout[t * (p.stride / 4u) + column];
    // @repeat f FOURS
    let m$f = mid[t * (p.width / 4u) + q$f];
    // @repeat c 4
    acc$c_$f += d[$c] * m$f;
    // @end
    // @end
  }
  // @repeat f FOURS
  // @repeat c 4
  sums[($cu * FOURS + $fu) * THREADS + thread] = acc$c_$f;
  // @end
  // @end
  add_lanes(thread, lane);
  let j = block + lane % FOURS;
  if (lane < VECTORS && n < p.N && j < J) {
    partials[(s * p.N + n + lane / FOURS) * J + j] = p.scale * sums[lane * THREADS + thread - lane * STRIDE];
  }
}
