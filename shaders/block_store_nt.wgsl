// First column, in fours, of a four of a tile that begins at column n0. With GATED (gated1.wgsl) the first half of a tile
// has gates, the second half the ups of the same places.
fn column_of(n0: u32, four: u32) -> u32 {
  if (GATED == 0u) { return n0 / 4u + four; }
  return n0 / 8u + four % (COLUMNS / 2u) + four / (COLUMNS / 2u) * (p.N / 8u);
}

// Writes four sums of a row of a product NT in register blocks, plus bias and residual, and returns them. n: in fours.
fn store(m: u32, n: u32, sum: vec4f) -> vec4f {
  let N = p.N / 4u;
  if (m >= p.M || n >= N) { return sum; }
  var value = sum;
  if (HAS_BIAS == 1u) { value += bias[n]; }
  if (HAS_RESIDUAL == 1u) { value += residual[m * N + n]; }
  out[m * N + n] = value;
  return value;
}
