// Imitation: the negative log-probability of what a demonstration says. Its double-precision twin is imitationTerm
// (src/rl/imitation.ts).
// column: 0 coefficient of the aggregation, times the weight of the demonstration.
// aux: negative log-probability, unused x 3.

fn objective(i: u32, logprob: f32, entropy: f32) -> Objective {
  let coefficient = column(0u, i);
  return Objective(-coefficient * logprob, -coefficient, 0.0, vec4f(-logprob, 0.0, 0.0, 0.0));
}
