// The best candidate of a sampling reduction: highest key, the lower index where two are equal, so that order does not matter.
struct Best { key: f32, logit: f32, index: u32 }
fn better(a: Best, b: Best) -> Best {
  if (b.key > a.key || (b.key == a.key && b.index < a.index)) { return b; }
  return a;
}
