// Writes four sums of a row of a product NT in register blocks, plus bias and residual and, in a column with an adapter,
// the scaled sums of its second product, and returns them. n: in fours.
fn store_adapted(m: u32, n: u32, sum: vec4f, low: vec4f, adapted: bool) -> vec4f {
  let N = p.N / 4u;
  if (m >= p.M || n >= N) { return sum; }
  var value = sum;
  if (HAS_BIAS == 1u) { value += bias[n]; }
  if (HAS_RESIDUAL == 1u) { value += residual[m * N + n]; }
  if (adapted) { value += p.scale * low; }
  out[m * N + n] = value;
  return value;
}
