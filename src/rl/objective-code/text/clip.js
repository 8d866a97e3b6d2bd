/**
 * PPO's clipped ratio (https://arxiv.org/abs/1707.06347, equation 7) with dual clip (https://arxiv.org/abs/1912.09729,
 * equation 3).
 */
function policyTerm({ ratio, slope }, logprob, advantage, { low, high, dualClip }) {
  const free = -advantage * ratio;
  const clipped = -advantage * Math.min(Math.max(ratio, low), high);
  const loss = Math.max(free, clipped);
  const dual = -advantage * dualClip;
  // Counted as: 1 clipped low, 2 clipped high, 4 held by the dual clip.
  const flags = advantage < 0 && ratio < low ? 1 : advantage > 0 && ratio > high ? 2 : 0;
  if (advantage < 0 && loss > dual) return { loss: dual, weight: 0, flags: flags + 4 };
  const flat = clipped > free && !(ratio >= low && ratio <= high);
  return { loss, weight: flat ? 0 : -advantage * slope, flags };
}
