// The clipped objective with KL and entropy. src/rl/objective/clipped.ts defines it in double precision.
// column: 0 old log-probability, 1 reference log-probability, 2 advantage, 3 coefficient of the aggregation.
// scalar: 0 clip low, 1 clip high, 2 dual clip (0: none), 3 cap of the ratio (0: none), 4 KL estimator, 5 KL
// coefficient, 6 KL clamp (0 or 1), 7 entropy coefficient.
// aux: policy loss, KL, flags (1 clipped low, 2 clipped high, 4 dual clip), ratio.

// exp(q) - 1 - q. Near 0, where the policy is close to its reference, the difference would cancel, so a series replaces
// it.
fn objective_k3(q: f32) -> f32 {
  if (abs(q) >= 0.5) {
    return exp(q) - q - 1.0;
  }
  let tail = 1.0 / 120.0 + q * (1.0 / 720.0 + q * (1.0 / 5040.0 + q * (1.0 / 40320.0 + q / 362880.0)));
  return q * q * (0.5 + q * (1.0 / 6.0 + q * (1.0 / 24.0 + q * tail)));
}

fn objective_expm1(q: f32) -> f32 {
  return select(exp(q) - 1.0, q + objective_k3(q), abs(q) < 0.5);
}

// (value, dvalue/dlogprob) of k3, with q = reference - policy.
fn objective_k3_clamped(q: f32, clamped: bool) -> vec2f {
  if (!clamped) {
    return vec2f(objective_k3(q), -objective_expm1(q));
  }
  let inside = clamp(q, -20.0, 20.0);
  let value = objective_k3(inside);
  let moves = inside == q && value <= 10.0;
  return vec2f(min(value, 10.0), select(0.0, -objective_expm1(inside), moves));
}

// (value, dvalue/dlogprob). Estimators are numbered in the order of `klEstimators` (src/rl/objective/kl.ts).
fn objective_kl(difference: f32, estimator: u32, clamped: bool) -> vec2f {
  switch (estimator) {
    case 0u: { return vec2f(difference, 1.0); }
    case 1u: { return vec2f(abs(difference), sign(difference)); }
    case 2u: { return vec2f(0.5 * difference * difference, difference); }
    case 3u: { return objective_k3_clamped(-difference, clamped); }
    case 4u: { return vec2f(difference, difference); }
    default: { return vec2f(objective_k3_clamped(-difference, clamped).x, difference); }
  }
}

// (loss, dloss/dlogprob, flags, ratio) of the clipped policy term.
fn objective_policy(difference: f32, advantage: f32) -> vec4f {
  let ratio = exp(clamp(difference, -20.0, 20.0));
  let slope = select(ratio, 0.0, abs(difference) > 20.0);
  let low = 1.0 - scalar(0u);
  let high = 1.0 + scalar(1u);
  let dual_clip = scalar(2u);
  let cap = scalar(3u);
  let capped = cap > 0.0 && ratio > cap;
  let free_loss = -advantage * select(ratio, cap, capped);
  let clipped_loss = -advantage * clamp(ratio, low, high);
  var flags = select(0.0, 1.0, advantage < 0.0 && ratio < low) + select(0.0, 2.0, advantage > 0.0 && ratio > high);
  let loss = max(free_loss, clipped_loss);
  let limit = -advantage * dual_clip;
  if (dual_clip > 0.0 && advantage < 0.0 && loss > limit) {
    return vec4f(limit, 0.0, flags + 4.0, ratio);
  }
  let inside = ratio >= low && ratio <= high;
  let is_flat = select(capped, !inside, clipped_loss > free_loss);
  return vec4f(loss, select(-advantage * slope, 0.0, is_flat), flags, ratio);
}

fn objective(i: u32, logprob: f32, entropy: f32) -> Objective {
  let policy = objective_policy(logprob - column(0u, i), column(2u, i));
  let kl = objective_kl(logprob - column(1u, i), u32(scalar(4u)), scalar(6u) > 0.5);
  let coefficient = column(3u, i);
  let kl_coefficient = scalar(5u);
  let entropy_coefficient = scalar(7u);
  return Objective(
    coefficient * (policy.x + kl_coefficient * kl.x - entropy_coefficient * entropy),
    coefficient * (policy.y + kl_coefficient * kl.y),
    -coefficient * entropy_coefficient,
    vec4f(policy.x, kl.x, policy.z, policy.w),
  );
}
