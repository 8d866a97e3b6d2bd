// Reads one, four or eight codes of packed weights from the storage buffer `codes: array<u32>`, which the kernel
// declares. G: groups per row.

// Codes 4 k to 4 k + 3 of row n.
fn codes4(n: u32, k: u32, G: u32) -> vec4f {
  if (BITS == 4u) { return nibbles(codes[n * G * 4u + k / 2u], 16u * (k & 1u)); }
  return signed_bytes(codes[n * G * 8u + k]);
}

// First four and last four of the codes 4 k to 4 k + 7, for an even k.
fn codes_low(n: u32, k: u32, G: u32) -> vec4f {
  if (BITS == 4u) { return nibbles(codes[n * G * 4u + k / 2u], 0u); }
  return signed_bytes(codes[n * G * 8u + k]);
}
fn codes_high(n: u32, k: u32, G: u32) -> vec4f {
  if (BITS == 4u) { return nibbles(codes[n * G * 4u + k / 2u], 16u); }
  return signed_bytes(codes[n * G * 8u + k + 1u]);
}

// Code k of row n.
fn code(n: u32, k: u32, G: u32) -> f32 {
  if (BITS == 4u) { return f32((codes[n * G * 4u + k / 8u] >> (4u * (k & 7u))) & 15u) - f32(8u - 8u * MINIMUM); }
  return f32(i32(codes[n * G * 8u + k / 4u] << (24u - 8u * (k & 3u))) >> 24u);
}

// Value k of row n.
fn value_of(n: u32, k: u32, G: u32) -> f32 {
  let s = scale_of(n, k / 32u, G);
  if (MINIMUM == 1u) { return code(n, k, G) * s.x + s.y; }
  return code(n, k, G) * s.x;
}
