/** Thrown for a GGUF file that cannot be read or run. Names the feature and the supported ones. */
export class GgufError extends Error {
  override name = 'GgufError';
}
