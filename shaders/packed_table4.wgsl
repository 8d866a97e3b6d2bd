// A packed vocabulary table (src/policy/weights/quantize.ts) with the interface of table32 and four values per element.
// One binding holds the codes and, from index `p.scalesAt` on, the scales. Constants: BITS, MINIMUM.
alias TABLE = u32;
fn table_at(row: u32, c: u32, C: u32) -> vec4f {
  let G = (C + 7u) / 8u;
  let g = c / 8u;
  var codes: vec4f;
  if (BITS == 4u) {
    let word = table[row * G * 4u + c / 2u];
    codes = vec4f((vec4u(word) >> (vec4u(0u, 4u, 8u, 12u) + 16u * (c & 1u))) & vec4u(15u)) - f32(8u - 8u * MINIMUM);
  } else {
    codes = vec4f(vec4i(vec4u(table[row * G * 8u + c]) << vec4u(24u, 16u, 8u, 0u)) >> vec4u(24u));
  }
  if (MINIMUM == 1u) {
    let s = unpack2x16float(table[p.scalesAt + row * G + g]);
    return codes * s.x + s.y;
  }
  return codes * unpack2x16float(table[p.scalesAt + row * ((G + 1u) / 2u) + g / 2u])[g & 1u];
}
