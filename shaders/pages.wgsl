// Where a K/V row lies: the cache is in pages of 2^PAGE_BITS rows, and the table says which page holds which rows. With PAGE_BITS = 0
// every row lies where its number says.
fn physical(row: u32) -> u32 {
  if (PAGE_BITS == 0u) { return row; }
  return (pages[row >> PAGE_BITS] << PAGE_BITS) | (row & ((1u << PAGE_BITS) - 1u));
}
