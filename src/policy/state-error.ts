/** Weights or state that do not belong to this model: names the tensor and both shapes. */
export class StateError extends Error {
  override name = 'StateError';
}
