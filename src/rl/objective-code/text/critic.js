/** The policy's objective, and the critic's: half of max((v - R)^2, (v clipped around its old value - R)^2). */
export function objective(rows, settings) {
  const { count, value, oldValue, return: target, valueCoefficient } = rows;
  const result = policyObjective(rows, settings);
  const valueWeight = new Float64Array(count);
  let valueLoss = 0;
  for (let i = 0; i < count; i++) {
    const term = valueTerm(value[i], oldValue[i], target[i], settings.valueClip);
    const loss = valueCoefficient[i] * term.loss;
    valueLoss += loss;
    result.loss[i] += loss;
    valueWeight[i] = valueCoefficient[i] * term.weight;
  }
  return { ...result, valueWeight, metrics: { ...result.metrics, valueLoss } };
}

function valueTerm(value, old, target, clip) {
  const clipped = Math.min(Math.max(value, old - clip), old + clip);
  const free = (value - target) ** 2;
  const held = (clipped - target) ** 2;
  const weight = held > free ? (clipped === value ? value - target : 0) : value - target;
  return { loss: 0.5 * Math.max(free, held), weight };
}
