/**
 * Bounds of the ratio, searched over all rows of the update until good actions have the target share of the loss (BAPO,
 * https://arxiv.org/abs/2510.18927).
 */
function boundsOf(rows, settings) {
  const ratioAt = ratiosOf(rows);
  const ratios = Array.from({ length: rows.count }, (_, i) => ratioAt(i).ratio);
  const search = settings.rule === 'paper' ? searchByPaper : searchByCode;
  const { low, high, share } = search(rows, ratios, settings);
  const metrics = { clipBoundLow: low, clipBoundHigh: high };
  if (Number.isFinite(share)) metrics.positiveShare = share;
  return { low, high, dualClip: settings.dualClip ?? Infinity, metrics };
}

/** Algorithm 1: high first, then low. */
function searchByPaper(rows, ratios, settings) {
  let low = settings.lowStart;
  let high = settings.highStart;
  let share = paperShare(rows, ratios, low, high, settings);
  while (share < settings.target && low + settings.lowStep <= settings.lowMost) {
    if (high + settings.highStep <= settings.highMost) high += settings.highStep;
    else low += settings.lowStep;
    share = paperShare(rows, ratios, low, high, settings);
  }
  return { low, high, share };
}

/** Equation 8: the share of the actions with a positive advantage in the clipped update. */
function paperShare({ advantage, oldLogprob }, ratios, low, high, { weighted, denominator }) {
  let positive = 0;
  let all = 0;
  ratios.forEach((ratio, i) => {
    const weight = weighted ? Math.exp(oldLogprob[i]) : 1;
    const clipped = (bound) =>
      weight * Math.min(ratio * advantage[i], Math.min(Math.max(ratio, bound), high) * advantage[i]);
    if (advantage[i] > 0) positive += clipped(0);
    all += denominator === 'gross' ? Math.abs(clipped(low)) : clipped(low);
  });
  return Math.abs(positive) / Math.abs(all);
}

/** The paper's code (WooooDyy/BAPO@7287044): low to its end first, then high. */
function searchByCode(rows, ratios, settings) {
  let low = settings.lowStart;
  let high = settings.highStart;
  let share = codeShare(rows, ratios, low, high);
  while (share < settings.target && low < settings.lowMost && settings.lowStep > 0) {
    low = Math.min(low + settings.lowStep, settings.lowMost);
    share = codeShare(rows, ratios, low, high);
  }
  while (share < settings.target && high < settings.highMost && settings.highStep > 0) {
    high = Math.min(high + settings.highStep, settings.highMost);
    share = codeShare(rows, ratios, low, high);
  }
  return { low, high, share };
}

function codeShare({ advantage }, ratios, low, high) {
  let positive = 0;
  let negative = 0;
  ratios.forEach((ratio, i) => {
    if (advantage[i] >= 0) positive += Math.min(ratio, high) * advantage[i];
    else negative += Math.max(ratio, low) * Math.abs(advantage[i]);
  });
  return negative <= 0 ? Infinity : positive / (negative + 1e-8);
}
