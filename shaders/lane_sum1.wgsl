// Sum over each run of LANES threads by subgroup shuffles. LANES must divide the subgroup size, and the threads of a
// workgroup must fill subgroups in order (the self-test fails if they do not).
enable subgroups;
fn lane_sum_begin(i: u32, value: f32, lane: u32) -> f32 {
  var sum = value;
  for (var mask = LANES / 2u; mask > 0u; mask /= 2u) { sum += subgroupShuffleXor(sum, mask); }
  return sum;
}
fn lane_sum_settle() {}
fn lane_sum_end(i: u32, own: f32, lane: u32) -> f32 { return own; }
