// Keeps a head of a K/V row, the `place`-th of the cache, as its floats.
fn keep(place: u32, head: Head) {
  for (var d = 0u; d < D; d++) { cache[place * D + d] = bitcast<u32>(element(head, d)); }
}
