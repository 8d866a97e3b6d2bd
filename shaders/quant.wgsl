// Packed weights (src/policy/weights/quantize.ts) of a table of N rows with K values: codes (N, G * BITS) and scales
// (N, ceil(G / 2)) in u32, with G = ceil(K / 32) groups per row. Codes past K are zero, so a product may multiply them
// by any finite value.
// The kernel declares the storage buffer `scales`. Constant: BITS, 4 or 8.
fn groups_of(K: u32) -> u32 { return (K + 31u) / 32u; }

// Four int4 codes of a u32, from bit `shift`.
fn nibbles(word: u32, shift: u32) -> vec4f {
  return vec4f((vec4u(word) >> (vec4u(0u, 4u, 8u, 12u) + shift)) & vec4u(15u)) - 8.0;
}

// Four int8 codes of a u32.
fn signed_bytes(word: u32) -> vec4f {
  return vec4f(vec4i(vec4u(word) << vec4u(24u, 16u, 8u, 0u)) >> vec4u(24u));
}

// Scale of group g of row n. G: groups per row.
fn scale_of(n: u32, g: u32, G: u32) -> f32 {
  return unpack2x16float(scales[n * ((G + 1u) / 2u) + g / 2u])[g & 1u];
}
