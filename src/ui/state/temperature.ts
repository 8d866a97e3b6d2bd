/** Probabilities of a choice at another temperature. */

/**
 * Probabilities at temperature `to`, from those at temperature `from`: p^(from/to), normalised. `probabilities` must be
 * complete (sum to 1) and positive.
 */
export function atTemperature(probabilities: readonly number[], from: number, to: number): number[] {
  const scores = probabilities.map((p) => (from / to) * Math.log(Math.max(p, 1e-30)));
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, each) => total + each, 0);
  return powers.map((each) => each / sum);
}
