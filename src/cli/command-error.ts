/** A command that cannot be carried out, reported in one line. */
export class CommandError extends Error {
  override name = 'CommandError';
}
