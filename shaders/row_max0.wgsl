// Largest value among the eight threads that share a row of scores, through workgroup memory.
var<workgroup> largest: array<f32, ROWS * 8>;
fn publish(row: u32, x: u32, value: f32) { largest[row * 8u + x] = value; }
fn settle() { workgroupBarrier(); }
fn collect(row: u32, own: f32) -> f32 {
  var value = own;
  for (var i = 0u; i < 8u; i++) { value = max(value, largest[row * 8u + i]); }
  return value;
}
