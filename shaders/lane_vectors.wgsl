// Sums of VECTORS vectors over the LANES threads of a group, pairwise through workgroup memory. The threads of a group
// lie STRIDE apart in a workgroup of THREADS. A thread stores its vectors, vector v at v THREADS + thread; afterwards
// the sum is at the place of the group's first lane.
var<workgroup> sums: array<vec4f, VECTORS * THREADS>;
fn add_lanes(thread: u32, lane: u32) {
  for (var half = LANES / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) {
      for (var i = thread; i < VECTORS * THREADS; i += THREADS) { sums[i] += sums[i + half * STRIDE]; }
    }
  }
  workgroupBarrier();
}
