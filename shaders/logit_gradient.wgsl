// Gradient of weight * logprob + entropyWeight * entropy of a scored row with respect to one of its logits: (weight
// (onehot - p) - entropyWeight p (log p + entropy)) / temperature.
struct ScoredRow { token: u32, lse: f32, entropy: f32, seed: vec2f }
fn logit_gradient(row: ScoredRow, token: u32, logit: f32) -> f32 {
  let logprob = logit * p.inverseTemperature - row.lse;
  let probability = exp(logprob);
  let hit = select(0.0, 1.0, row.token == token);
  return (row.seed.x * (hit - probability) - row.seed.y * probability * (logprob + row.entropy)) * p.inverseTemperature;
}
