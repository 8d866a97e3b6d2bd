// The position of a token, its row in the K/V cache, and the rows it may see: the prefix [prefixStart, prefixEnd) that
// its sequence shares with others, and its own sequence [ownStart, ownEnd), which includes the token itself.
// queryEnd: one past the last token that may see this token's key (backward only).
struct Token {
  position: u32,
  row: u32,
  prefixStart: u32,
  prefixEnd: u32,
  ownStart: u32,
  ownEnd: u32,
  queryEnd: u32,
  pad: u32,
}
