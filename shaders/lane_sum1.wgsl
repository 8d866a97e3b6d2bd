// Sums of SUMS values over each run of LANES threads by subgroup shuffles. Thread l of a run gets the sums l, l + LANES,
// ... LANES must divide the subgroup size, and the threads of a workgroup must fill subgroups in order (the self-test
// fails if they do not).
enable subgroups;
var<private> own_sums: array<f32, EACH>;
fn lane_sum_add(i: u32, value: f32, thread: u32) {
  var sum = value;
  for (var mask = LANES / 2u; mask > 0u; mask /= 2u) { sum += subgroupShuffleXor(sum, mask); }
  if (thread % LANES == i % LANES) { own_sums[i / LANES] = sum; }
}
fn lane_sum_settle() {}
// Sum number `thread % LANES + r LANES`.
fn lane_sum(r: u32, thread: u32) -> f32 { return own_sums[r]; }
