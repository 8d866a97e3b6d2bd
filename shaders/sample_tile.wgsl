// Scan of the logits [begin, end) of row r by a workgroup of 64: leaves the best logit / temperature + Gumbel noise in
// bests[0] and the softmax in sums[0]. The kernel has the scalars W, first, seed, stream and inverseTemperature.
var<workgroup> bests: array<Best, 64>;
var<workgroup> sums: array<Softmax, 64>;

fn scan_tile(r: u32, row: Row, running: bool, begin: u32, end: u32, lane: u32) {
  let greedy = p.inverseTemperature == 0.0;
  let scale = select(p.inverseTemperature, 1.0, greedy);
  let key = vec4u(p.seed, p.stream, row.key, row.prefixEnd - row.prefixStart + row.length);
  var best = Best(-1e30, 0.0, 0xffffffffu);
  var sum = softmax_empty();
  if (running) {
    for (var v = begin + lane; v < end; v += 64u) {
      let logit = logits[r * p.W + v] * scale;
      sum = softmax_add(sum, logit);
      var score = logit;
      if (!greedy) { score += gumbel(key, p.first + v); }
      best = better(best, Best(score, logit, p.first + v));
    }
  }
  bests[lane] = best;
  sums[lane] = sum;
  for (var half = 32u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) {
      bests[lane] = better(bests[lane], bests[lane + half]);
      sums[lane] = softmax_merge(sums[lane], sums[lane + half]);
    }
  }
}
