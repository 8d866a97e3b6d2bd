// Imitation: the negative log-probability of a demonstration's tokens. src/rl/objective/likelihood.ts defines it in
// double precision.
// column: 0 coefficient of the aggregation, times the weight of the demonstration.
// aux: negative log-probability, unused x 3.

fn objective(i: u32, logprob: f32, entropy: f32) -> Objective {
  let coefficient = column(0u, i);
  return Objective(-coefficient * logprob, -coefficient, 0.0, vec4f(-logprob, 0.0, 0.0, 0.0));
}
