// Stores a head in the cache at index `place` (one index per head of a K/V row), as floats.
fn keep(place: u32, head: Head) {
  for (var d = 0u; d < D; d++) { cache[place * D + d] = bitcast<u32>(element(head, d)); }
}
