// Sum over each run of LANES threads of a workgroup of 64, through workgroup memory, in the order of the threads; the
// first thread of a run gets it. ROWS sums share one barrier.
var<workgroup> summands: array<f32, ROWS * 64>;
fn lane_sum_begin(i: u32, value: f32, lane: u32) -> f32 {
  summands[i * 64u + lane] = value;
  return value;
}
fn lane_sum_settle() { workgroupBarrier(); }
fn lane_sum_end(i: u32, own: f32, lane: u32) -> f32 {
  var sum = own;
  for (var l = 1u; l < LANES; l++) { sum += summands[i * 64u + lane + l]; }
  return sum;
}
