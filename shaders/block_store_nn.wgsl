// Writes or adds four sums of a row of a product NN in register blocks. k: in fours.
fn store(m: u32, k: u32, sum: vec4f) {
  let K = p.K / 4u;
  if (m >= p.M || k >= K) { return; }
  if (ACCUMULATE == 1u) { dinp[m * K + k] += sum; } else { dinp[m * K + k] = sum; }
}
