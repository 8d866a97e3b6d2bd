// What the tiled forms of attention share. A tile is a few tokens that follow each other and see the same prefix; its rows are those
// tokens times the G query heads of one key head, so that a key is fetched once for all of them. Its keys are numbered: first the
// prefix, then the tokens' own sequences, of which each token sees a part.
// split: which SPLIT keys it works on, of the prefix (own = 0) or of the tokens' own sequences (own = 1); all keys where SPLIT is 0.
struct Tile { first: u32, count: u32, split: u32, own: u32 }
struct Keys {
  // Rows of the K/V cache.
  prefixStart: u32,
  ownStart: u32,
  // Keys that lie in the prefix, and all keys.
  prefix: u32,
  all: u32,
}
// Tokens that rest (finished rows of a decoding batch) see nothing and are left out.
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
// The keys [x, y) of its own sequence that a token sees.
fn own_keys(keys: Keys, token: Token) -> vec2u {
  if (token.ownEnd <= token.ownStart) { return vec2u(); }
  return vec2u(token.ownStart, token.ownEnd) - keys.ownStart + keys.prefix;
}
