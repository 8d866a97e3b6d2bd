// packed_table4 with one value per element: for row lengths that are not multiples of four. Constants: BITS, MINIMUM.
alias TABLE = u32;
fn table_at(row: u32, c: u32, C: u32) -> f32 {
  let G = (C + 31u) / 32u;
  let g = c / 32u;
  var code: f32;
  if (BITS == 4u) {
    code = f32((table[row * G * 4u + c / 8u] >> (4u * (c & 7u))) & 15u) - f32(8u - 8u * MINIMUM);
  } else {
    code = f32(i32(table[row * G * 8u + c / 4u] << (24u - 8u * (c & 3u))) >> 24u);
  }
  if (MINIMUM == 1u) {
    let s = unpack2x16float(table[p.scalesAt + row * G + g]);
    return code * s.x + s.y;
  }
  return code * unpack2x16float(table[p.scalesAt + row * ((G + 1u) / 2u) + g / 2u])[g & 1u];
}
