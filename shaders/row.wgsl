// A decoding row: the place of its trajectory in the K/V cache, its length, and its node in the trie of allowed tokens.
// finished: 0 running, 1 reached a leaf of the trie, 2 sampled a stop token, 3 no room left.
struct Row {
  base: u32,
  length: u32,
  capacity: u32,
  prefixStart: u32,
  prefixEnd: u32,
  node: u32,
  finished: u32,
  key: u32,
  leaf: u32,
  sampled: u32,
  constrained: u32,
  pad: u32,
}
