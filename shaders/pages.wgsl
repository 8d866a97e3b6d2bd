// Where a K/V row lies: the cache is in pages of 2^pageBits rows, and the table says which page holds which rows. With pageBits = 0
// every row lies where its number says.
fn physical(row: u32) -> u32 {
  if (p.pageBits == 0u) { return row; }
  return (pages[row >> p.pageBits] << p.pageBits) | (row & ((1u << p.pageBits) - 1u));
}
