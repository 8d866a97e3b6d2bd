// @include block_store_adapted

// As `store`, plus the second product of a low-rank adapter (low_rank1.wgsl), of which a thread has one row.
fn store_few(m: u32, n: u32, sum: vec4f) -> vec4f {
  let at = low_rank_row(n * 4u);
  let adapted = at.x != NO_ROW;
  var low = vec4f();
  if (adapted) {
    let J = p.rank / 4u;
    // Rows past M repeat the last one; their sums are computed but not stored.
    let of_row = min(m, p.M - 1u) * (p.width / 4u) + at.y * J;
    for (var f = 0u; f < J; f++) {
      let x = mid[of_row + f];
      // @repeat c 4
      let b$c = B[(at.x + $cu) * J + f];
      // @end
      low += vec4f(dot(x, b0), dot(x, b1), dot(x, b2), dot(x, b3));
    }
  }
  return store_adapted(m, n, sum, low, adapted);
}
