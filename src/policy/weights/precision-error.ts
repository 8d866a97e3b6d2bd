/** Thrown for a precision that the requested use of the model does not support. */
export class PrecisionError extends Error {
  override name = 'PrecisionError';
}
