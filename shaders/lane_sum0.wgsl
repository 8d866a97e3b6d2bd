// Sums of SUMS values over each run of LANES threads of a workgroup of 64, through workgroup memory, in the order of the
// threads. Thread l of a run gets the sums l, l + LANES, ... Each sum's values are stored with a shift of its own, so
// that the threads of a run read from different banks.
var<workgroup> summands: array<f32, SUMS * 64u>;
fn lane_sum_add(i: u32, value: f32, thread: u32) {
  let lane = thread % LANES;
  summands[i * 64u + thread - lane + (lane + i) % LANES] = value;
}
fn lane_sum_settle() { workgroupBarrier(); }
// Sum number `thread % LANES + r LANES`.
fn lane_sum(r: u32, thread: u32) -> f32 {
  let lane = thread % LANES;
  let i = lane + r * LANES;
  var sum = 0.0;
  for (var l = 0u; l < LANES; l++) { sum += summands[i * 64u + thread - lane + (l + i) % LANES]; }
  return sum;
}
