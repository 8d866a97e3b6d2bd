// Best candidate of a sampling reduction: the highest key, and of equal keys the lower index, so that the order of the
// reduction does not matter.
struct Best { key: f32, logit: f32, index: u32 }
fn better(a: Best, b: Best) -> Best {
  if (b.key > a.key || (b.key == a.key && b.index < a.index)) { return b; }
  return a;
}
