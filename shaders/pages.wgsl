// Physical index of a K/V row. The cache is divided into pages of 2^pageBits rows, and `pages` maps logical pages to
// physical ones. If pageBits is 0, physical and logical rows are the same.
fn physical(row: u32) -> u32 {
  if (p.pageBits == 0u) { return row; }
  return (pages[row >> p.pageBits] << p.pageBits) | (row & ((1u << p.pageBits) - 1u));
}
