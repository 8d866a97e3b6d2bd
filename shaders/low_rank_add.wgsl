// A value of column n of row m with what the adapter adds to it (low_rank1.wgsl). Constant: RANK_FOURS, fours of the
// rank that are loaded together.
fn with_low_rank(m: u32, n: u32, value: f32) -> f32 {
  let at = low_rank_row(n);
  if (at.x == NO_ROW) { return value; }
  let J = p.rank / 4u;
  let x = m * (p.width / 4u) + at.y * J;
  let b = at.x * J;
  var sum = 0.0;
  for (var j = 0u; j < J; j += RANK_FOURS) {
    // @repeat f RANK_FOURS
    let x$f = mid[x + j + $fu];
    let b$f = B[b + j + $fu];
    // @end
    // @repeat f RANK_FOURS
    sum += dot(x$f, b$f);
    // @end
  }
  return value + p.scale * sum;
}
