// Chooses the next token of each constrained row: the largest logit / temperature + Gumbel noise over the edges of its
// trie node (temperature 0: the largest logit). Its log-probability is that over the same edges.
// Shapes: hidden (R, C) after the final norm, table (V, C), trie = nodes (3 u32 each: first edge, end, leaf), then from
// edgeOffset on the edges (2 u32 each: token, node). One workgroup per row. Constants: WIDTH, BITS of the table.
// @include elem WIDTH
// @include table BITS
// @include grid
// @include token
// @include row
// @include random
// @include online_softmax
// @include best
struct Params { R: u32, C: u32, step: u32, trash: u32, edgeOffset: u32, seed: u32, stream: u32, inverseTemperature: f32, scalesAt: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> hidden: array<ELEM>;
@group(0) @binding(2) var<storage, read> table: array<TABLE>;
@group(0) @binding(3) var<storage, read> trie: array<u32>;
@group(0) @binding(4) var<storage, read_write> rows: array<Row>;
@group(0) @binding(5) var<storage, read_write> ids: array<u32>;
@group(0) @binding(6) var<storage, read_write> tokens: array<Token>;
@group(0) @binding(7) var<storage, read_write> outTokens: array<u32>;
@group(0) @binding(8) var<storage, read_write> outLogprobs: array<f32>;
// @include sample_advance
var<workgroup> bests: array<Best, 32>;
var<workgroup> sums: array<Softmax, 32>;

@compute @workgroup_size(32)
fn sample_masked(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let r = linear_workgroup(wg, count);
  let live = r < p.R;
  let row = rows[min(r, p.R - 1u)];
  let running = live && row.finished == 0u && row.constrained == 1u;
  let greedy = p.inverseTemperature == 0.0;
  let scale = select(p.inverseTemperature, 1.0, greedy);
  let key = vec4u(p.seed, p.stream, row.key, row.prefixEnd - row.prefixStart + row.length);
  var best = Best(-1e30, 0.0, 0xffffffffu);
  var sum = softmax_empty();
  if (running) {
    let C = p.C / WIDTH;
    for (var e = trie[row.node * 3u] + lane; e < trie[row.node * 3u + 1u]; e += 32u) {
      let token = trie[p.edgeOffset + e * 2u];
      var product = splat(0.0);
      for (var c = 0u; c < C; c++) { product += hidden[r * C + c] * table_at(token, c, C); }
      let logit = inner_product(product, splat(1.0)) * scale;
      sum = softmax_add(sum, logit);
      var score = logit;
      if (!greedy) { score += gumbel(key, token); }
      best = better(best, Best(score, logit, e));
    }
  }
  bests[lane] = best;
  sums[lane] = sum;
  for (var half = 16u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) {
      bests[lane] = better(bests[lane], bests[lane + half]);
      sums[lane] = softmax_merge(sums[lane], sums[lane + half]);
    }
  }
  if (lane != 0u || !live || row.constrained == 0u) { return; }
  if (!running) { rest(r); return; }
  let chosen = bests[0];
  let node = trie[p.edgeOffset + chosen.index * 2u + 1u];
  let leaf = trie[node * 3u + 2u];
  rows[r].node = node;
  rows[r].leaf = leaf;
  let logprob = (chosen.logit - sums[0].m) - log(sums[0].s);
  advance(r, trie[p.edgeOffset + chosen.index * 2u], logprob, select(0u, 1u, leaf != 0xffffffffu));
}
