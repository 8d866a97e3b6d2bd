// Largest value among the eight threads that share a row of scores, by subgroup shuffles. The eight are adjacent in one
// subgroup, which must have at least eight invocations.
enable subgroups;
fn publish(row: u32, x: u32, value: f32) {}
fn settle() {}
fn collect(row: u32, own: f32) -> f32 {
  var value = max(own, subgroupShuffleXor(own, 1u));
  value = max(value, subgroupShuffleXor(value, 2u));
  return max(value, subgroupShuffleXor(value, 4u));
}
