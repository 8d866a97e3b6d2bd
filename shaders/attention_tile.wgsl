// Shared by the tiled forms of attention. A tile is a few consecutive tokens with the same prefix. Its rows are those
// tokens times the G query heads of one key head, so each key is loaded once for all of them. Its keys are numbered
// from 0: first the prefix, then the tokens' own sequences, of which each token sees a part.
// split: index of the SPLIT keys that the tile covers, within the prefix (own = 0) or the own sequences (own = 1). If
// SPLIT is 0, a tile covers all keys.
struct Tile { first: u32, count: u32, split: u32, own: u32 }
struct Keys {
  // First rows in the K/V cache.
  prefixStart: u32,
  ownStart: u32,
  // Number of keys in the prefix, and number of all keys.
  prefix: u32,
  all: u32,
}
// Resting tokens (finished rows of a decoding batch) see no keys and are skipped.
fn keys_of(tile: Tile) -> Keys {
  var prefix = vec2u();
  var own = vec2u(0xffffffffu, 0u);
  for (var i = 0u; i < tile.count; i++) {
    let token = tokens[tile.first + i];
    if (token.ownEnd > token.ownStart) {
      prefix = vec2u(token.prefixStart, token.prefixEnd);
      own = vec2u(min(own.x, token.ownStart), max(own.y, token.ownEnd));
    }
  }
  own.x = min(own.x, own.y);
  return Keys(prefix.x, own.x, prefix.y - prefix.x, prefix.y - prefix.x + own.y - own.x);
}
fn row_of(keys: Keys, j: u32) -> u32 {
  return select(keys.ownStart + j - keys.prefix, keys.prefixStart + j, j < keys.prefix);
}
// Keys [x, y) of the token's own sequence that it sees.
fn own_keys(keys: Keys, token: Token) -> vec2u {
  if (token.ownEnd <= token.ownStart) { return vec2u(); }
  return vec2u(token.ownStart, token.ownEnd) - keys.ownStart + keys.prefix;
}
