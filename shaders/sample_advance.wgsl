// Writes the chosen token to the outputs, and makes it the input of the next decoding step. A finished row does not run
// its last token: its K/V is computed with the text of the next turn. Until then the row rests: its token points at the
// trash row and sees no keys.
fn advance(r: u32, chosen: u32, logprob: f32, finished: u32) {
  let row = rows[r];
  let at = p.step * p.R + r;
  outTokens[at] = chosen;
  outLogprobs[at] = logprob;
  ids[r] = chosen;
  rows[r].sampled = row.sampled + 1u;
  var state = finished;
  if (state == 0u && row.length + 1u >= row.capacity) { state = 3u; }
  rows[r].finished = state;
  let position = row.prefixEnd - row.prefixStart + row.length;
  if (state != 0u) { rest(r); return; }
  rows[r].length = row.length + 1u;
  let own = row.base + row.length;
  tokens[r] = Token(position, own, row.prefixStart, row.prefixEnd, row.base, own + 1u, 0u, 0u);
}
fn rest(r: u32) {
  tokens[r] = Token(0u, p.trash, 0u, 0u, 0u, 0u, 0u, 0u);
}
