/** Thrown for weights or state of another model. Names the tensor and both shapes. */
export class StateError extends Error {
  override name = 'StateError';
}
