/** Reasons why a handed-in file is not graded. */

/** Each reason with its sentence for a table. */
export const reasons = {
  damaged: 'The file is damaged',
  'not-handed-in': 'It is not a handed-in file',
  'other-assignment': 'It belongs to another assignment',
  log: 'Its log was changed',
  settings: 'Its settings differ where they may not',
  code: 'It has code that was not allowed to run',
  beginning: 'It does not begin as its settings and seed say',
  steps: 'Steps are missing',
  longer: 'It was trained longer than its settings say',
  trajectories: 'Its episodes are missing or cannot be read',
  curve: 'Its curve does not follow from its episodes',
  step: 'A step does not follow from the weights before it',
  weights: 'Its weights do not follow from its steps',
  evaluation: 'Its evaluation does not follow from its weights',
} as const;

export type Reason = keyof typeof reasons;

/** A handed-in file that is not graded, with the reason. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  constructor(
    readonly reason: Reason,
    message: string,
  ) {
    super(message);
  }
}
