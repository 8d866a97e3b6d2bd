// What attention and RoPE know of a token: its position, its row in the K/V cache and which rows it may see: the prefix
// [prefixStart, prefixEnd) its sequence shares with others, and its own sequence [ownStart, ownEnd), itself included.
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
