// Writes four sums of a row of a product NT in register blocks, plus bias and residual. n: in fours.
fn store(m: u32, n: u32, sum: vec4f) {
  let N = p.N / 4u;
  if (m >= p.M || n >= N) { return; }
  var value = sum;
  if (HAS_BIAS == 1u) { value += bias[n]; }
  if (HAS_RESIDUAL == 1u) { value += residual[m * N + n]; }
  out[m * N + n] = value;
}
