// The largest value among the eight threads that share a row of scores, by way of workgroup memory.
var<workgroup> largest: array<f32, ROWS * 8>;
fn publish(row: u32, x: u32, value: f32) { largest[row * 8u + x] = value; }
fn settle() { workgroupBarrier(); }
fn collect(row: u32, own: f32) -> f32 {
  let at = row * 8u;
  let low = max(max(largest[at], largest[at + 1u]), max(largest[at + 2u], largest[at + 3u]));
  let high = max(max(largest[at + 4u], largest[at + 5u]), max(largest[at + 6u], largest[at + 7u]));
  return max(low, high);
}
