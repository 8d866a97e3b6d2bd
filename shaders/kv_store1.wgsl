// Stores a head in the cache at index `place` (one index per head of a K/V row): D signed bytes, four in a u32, then
// the bits of their scale. The scale is the largest magnitude over 127 (src/policy/engine/generation/kv-bytes.ts).
fn keep(place: u32, head: Head) {
  var largest = 0.0;
  for (var d = 0u; d < D; d++) { largest = max(largest, abs(element(head, d))); }
  let inverse = 127.0 / max(largest, 1e-30);
  let to = place * (D / 4u + 1u);
  for (var e = 0u; e < D / 4u; e++) {
    var word = 0u;
    for (var j = 0u; j < 4u; j++) {
      let code = clamp(i32(round(element(head, e * 4u + j) * inverse)), -127, 127);
      word |= (bitcast<u32>(code) & 0xffu) << (8u * j);
    }
    cache[to + e] = word;
  }
  cache[to + D / 4u] = bitcast<u32>(largest / 127.0);
}
